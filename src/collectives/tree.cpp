#include "collectives/tree.h"

#include "collectives/common.h"

namespace orrery::coll {

namespace {

// Adds children by their number counted from the root.
class Builder {
  public:
    Builder(std::uint32_t size, std::uint32_t root) : size_(size), root_(root) {}
    void parent(std::uint64_t relative) {
        tree_.has_parent = true;
        tree_.parent = after(static_cast<std::uint32_t>(relative), root_, size_);
    }
    void child(std::uint64_t relative) {
        if (relative >= size_ || tree_.count == Tree::most_children) return;
        tree_.child[tree_.count++] = after(static_cast<std::uint32_t>(relative), root_, size_);
    }
    [[nodiscard]] const Tree& tree() const { return tree_; }

  private:
    std::uint32_t size_;
    std::uint32_t root_;
    Tree tree_;
};

// The root of a k-nomial tree has radix - 1 children on each level; all must have room.
std::uint32_t largest_radix(std::uint32_t size, std::uint32_t radix) {
    radix = std::min(radix, Tree::most_children + 1);
    for (;; radix /= 2) {
        std::uint32_t levels = 0;
        for (std::uint64_t reach = 1; reach < size; reach *= radix) ++levels;
        if (radix <= 2 || (radix - 1) * levels <= Tree::most_children) return std::max<std::uint32_t>(radix, 2);
    }
}

} // namespace

Tree k_ary_tree(std::uint32_t rank, std::uint32_t size, std::uint32_t root, std::uint32_t fanout) {
    fanout = std::clamp<std::uint32_t>(fanout, 1, Tree::most_children);
    Builder builder(size, root);
    const std::uint32_t relative = before(rank, root, size);
    std::uint64_t level_first = 0; // number of the first rank of this rank's level, and how many are on it
    std::uint64_t level_size = 1;
    while (relative >= level_first + level_size) {
        level_first += level_size;
        level_size *= fanout;
    }
    for (std::uint64_t i = 1; i <= fanout; ++i) builder.child(relative + i * level_size);
    if (relative != 0) {
        const std::uint64_t above = level_size / fanout; // the size of the parent's level
        builder.parent(level_first - above + (relative - level_first) % above);
    }
    return builder.tree();
}

Tree binomial_tree(std::uint32_t rank, std::uint32_t size, std::uint32_t root) {
    Builder builder(size, root);
    const std::uint32_t relative = before(rank, root, size);
    if (relative != 0) builder.parent(relative ^ std::bit_floor(relative));
    for (std::uint64_t distance = relative == 0 ? 1 : std::uint64_t{2} * std::bit_floor(relative);
         distance < size; distance *= 2) {
        builder.child(relative + distance);
    }
    return builder.tree();
}

Tree in_order_binomial_tree(std::uint32_t rank, std::uint32_t size, std::uint32_t root) {
    Builder builder(size, root);
    const std::uint32_t relative = before(rank, root, size);
    for (std::uint64_t mask = 1; mask < size; mask *= 2) {
        if ((relative & mask) != 0) {
            builder.parent(relative ^ mask);
            break;
        }
        builder.child(relative | mask);
    }
    return builder.tree();
}

Tree in_order_binary_tree(std::uint32_t rank, std::uint32_t size) {
    // Of the ranks [first, first + count) the last is the parent; the one before it is the root of the left
    // child's tree, which holds the upper part of what remains; the lower half is the right child's.
    std::uint32_t first = 0;
    std::uint32_t count = size;
    Tree tree;
    for (;;) {
        const std::uint32_t parent = first + count - 1;
        const std::uint32_t lower = count / 2; // ranks of the right child's tree
        const bool two = count > 2;
        if (rank == parent) {
            if (count > 1) tree.child[tree.count++] = parent - 1;
            if (two) tree.child[tree.count++] = first + lower - 1;
            return tree;
        }
        tree.has_parent = true;
        tree.parent = parent;
        if (two && rank < first + lower) {
            count = lower;
        } else {
            first += lower;
            count -= lower + 1;
            if (!two) first = parent - 1, count = 1;
        }
    }
}

Tree k_nomial_tree(std::uint32_t rank, std::uint32_t size, std::uint32_t root, std::uint32_t radix) {
    radix = largest_radix(size, std::max<std::uint32_t>(radix, 2));
    Builder builder(size, root);
    const std::uint64_t relative = before(rank, root, size);
    std::uint64_t mask = 1;
    for (; mask < size; mask *= radix) {
        if (relative % (radix * mask) == 0) continue;
        builder.parent(relative / (radix * mask) * (radix * mask));
        break;
    }
    for (mask /= radix; mask > 0; mask /= radix) {
        for (std::uint64_t i = 1; i < radix; ++i) builder.child(relative + i * mask);
    }
    return builder.tree();
}

Tree chain_tree(std::uint32_t rank, std::uint32_t size, std::uint32_t root, std::uint32_t fanout) {
    Builder builder(size, root);
    if (size == 1) return builder.tree();
    fanout = std::clamp<std::uint32_t>(fanout, 1, std::min(Tree::most_children, size - 1));
    const std::uint32_t relative = before(rank, root, size);
    // The first `longer` chains have one rank more than the others.
    const std::uint32_t length = (size - 1) / fanout;
    const std::uint32_t longer = (size - 1) % fanout;
    const auto head = [&](std::uint32_t chain) { return 1 + chain * length + std::min(chain, longer); };
    if (relative == 0) {
        for (std::uint32_t chain = 0; chain < fanout; ++chain) builder.child(head(chain));
        return builder.tree();
    }
    const std::uint32_t in_longer = longer * (length + 1);
    const std::uint32_t chain =
        relative - 1 < in_longer ? (relative - 1) / (length + 1) : longer + (relative - 1 - in_longer) / length;
    builder.parent(relative == head(chain) ? 0 : relative - 1);
    if (relative + 1 < head(chain + 1)) builder.child(relative + 1);
    return builder.tree();
}

} // namespace orrery::coll
