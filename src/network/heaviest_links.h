// The links of the greatest weight, whatever the weight is.
#pragma once

#include "engine/ids.h"
#include "results/network_report.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace orrery {

// As many as a report has; those that weigh nothing are left out. Of equal weight: in the order of links.
template <typename Weight> std::vector<LinkId> heaviest_links(std::size_t links, Weight&& weight) {
    std::vector<LinkId> order;
    for (std::uint32_t link = 0; link < links; ++link) {
        if (weight(LinkId{link}) > 0) order.push_back({link});
    }
    const std::size_t shown = std::min(order.size(), NetworkReport::most_links);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                      [&](LinkId a, LinkId b) {
                          const auto weight_a = weight(a);
                          const auto weight_b = weight(b);
                          return weight_a != weight_b ? weight_a > weight_b : a.value < b.value;
                      });
    order.resize(shown);
    return order;
}

// Of a list that may be longer than a report has; of equal ones the first stay first.
template <typename Heavier> void keep_heaviest(std::vector<LinkLoad>& links, Heavier&& heavier) {
    std::stable_sort(links.begin(), links.end(), heavier);
    links.resize(std::min(links.size(), NetworkReport::most_links));
}

} // namespace orrery
