// Every algorithm, for many sizes and roots: all messages find their receives, no member is left waiting, and
// the right data can have reached the right members by the time the collective is over.
#include "engine/error.h"
#include "workload/collectives/algorithms.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <tuple>

namespace orrery::algorithms_test {
namespace {

using Knowledge = std::set<std::uint32_t>; // members whose contribution is contained

struct Outcome {
    std::vector<Knowledge> knowledge; // of each member at the end
    std::vector<Bytes> sent;
    std::vector<Bytes> received;
    std::uint64_t messages = 0;
};

struct Message {
    Bytes bytes;
    Knowledge knowledge;
};

// Runs the members' fragments: operations as their dependencies fall, messages matched in order. What an
// operation knows is its member's own contribution and what the operations that it waits for know.
Outcome run(const std::vector<RankGraph>& graphs) {
    const auto size = static_cast<std::uint32_t>(graphs.size());
    std::map<std::tuple<std::uint32_t, std::uint32_t>, std::vector<Message>> sent; // (from, to)
    std::map<std::tuple<std::uint32_t, std::uint32_t>, std::size_t> taken;
    std::vector<std::vector<char>> done(size);
    std::vector<std::vector<Knowledge>> knows(size);
    Outcome outcome{std::vector<Knowledge>(size), std::vector<Bytes>(size), std::vector<Bytes>(size), 0};
    for (std::uint32_t m = 0; m < size; ++m) {
        done[m].assign(graphs[m].ops.size(), 0);
        knows[m].assign(graphs[m].ops.size(), Knowledge{m});
    }
    for (bool progress = true; progress;) {
        progress = false;
        for (std::uint32_t m = 0; m < size; ++m) {
            std::set<std::uint32_t> blocked_pairs; // receives of one pair are matched in order
            for (std::uint32_t i = 0; i < graphs[m].ops.size(); ++i) {
                if (done[m][i] != 0) continue;
                const Op& op = graphs[m].ops[i];
                bool ready = true;
                Knowledge known{m};
                for (const Dependency& d : graphs[m].dependencies) {
                    if (d.after != i) continue;
                    ready = ready && done[m][d.before] != 0;
                    known.insert(knows[m][d.before].begin(), knows[m][d.before].end());
                }
                if (op.kind == OpKind::recv) {
                    auto& queue = sent[{op.peer, m}];
                    auto& next = taken[{op.peer, m}];
                    if (!ready || blocked_pairs.count(op.peer) != 0 || next == queue.size()) {
                        blocked_pairs.insert(op.peer);
                        continue;
                    }
                    EXPECT_EQ(queue[next].bytes, op.size) << "from " << op.peer << " to " << m;
                    known.insert(queue[next].knowledge.begin(), queue[next].knowledge.end());
                    ++next;
                    outcome.received[m] += op.size;
                } else if (!ready) {
                    continue;
                }
                if (op.kind == OpKind::send) {
                    sent[{m, op.peer}].push_back({op.size, known});
                    outcome.sent[m] += op.size;
                    ++outcome.messages;
                }
                knows[m][i] = known;
                done[m][i] = 1;
                progress = true;
            }
        }
    }
    for (std::uint32_t m = 0; m < size; ++m) {
        outcome.knowledge[m] = {m};
        for (std::uint32_t i = 0; i < graphs[m].ops.size(); ++i) {
            EXPECT_TRUE(done[m][i]) << "member " << m << " waits for ever in operation " << i;
            outcome.knowledge[m].insert(knows[m][i].begin(), knows[m][i].end());
        }
    }
    for (const auto& [pair, queue] : sent) EXPECT_EQ(queue.size(), taken[pair]) << "message not received";
    return outcome;
}

std::vector<RankGraph> build(CollectiveAlgorithm append, std::uint32_t size,
                             const std::function<FragmentCall(std::uint32_t)>& call) {
    std::vector<RankGraph> graphs(size);
    Fragment fragment;
    for (std::uint32_t m = 0; m < size; ++m) {
        fragment.begin(graphs[m], Members{}, m, size, 7);
        append(fragment, call(m));
        fragment.close();
        check_rank(graphs[m], RankId{m}, size, "fragment");
    }
    return graphs;
}

Knowledge members(std::uint32_t first, std::uint32_t end) {
    Knowledge all;
    for (std::uint32_t i = first; i < end; ++i) all.insert(i);
    return all;
}

constexpr std::uint32_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 23, 31, 32, 33};

class EveryFragment : public testing::TestWithParam<CollectiveRow> {};

TEST_P(EveryFragment, completes_and_delivers) {
    const CollectiveRow& row = GetParam();
    for (const std::uint32_t size : sizes) {
        for (const std::uint32_t root : std::set<std::uint32_t>{0, size / 2, size - 1}) {
            if (root != 0 && !has_root(row.collective)) continue;
            SCOPED_TRACE(testing::Message() << size << " members, root " << root);
            const Bytes bytes = 1000;
            const Outcome outcome = run(build(row.append, size, [&](std::uint32_t) {
                return FragmentCall{root, bytes, {}, {}};
            }));
            for (std::uint32_t m = 0; m < size; ++m) {
                const Knowledge& known = outcome.knowledge[m];
                switch (row.collective) {
                case Collective::bcast: EXPECT_TRUE(known.count(root)); break;
                case Collective::reduce:
                    if (m == root) {
                        EXPECT_EQ(known, members(0, size));
                    }
                    break;
                case Collective::gather:
                case Collective::gatherv:
                    if (m == root) {
                        EXPECT_EQ(known, members(0, size));
                    }
                    if (m == root) {
                        EXPECT_EQ(outcome.received[m], bytes * (size - 1));
                    }
                    break;
                case Collective::scatter:
                case Collective::scatterv:
                    EXPECT_TRUE(known.count(root));
                    if (m == root) {
                        EXPECT_EQ(outcome.sent[m], bytes * (size - 1));
                    }
                    break;
                case Collective::scan:
                case Collective::exscan: EXPECT_EQ(known, members(0, m + 1)); break;
                case Collective::allgather:
                case Collective::allgatherv:
                    if (row.name == "dissemination") break; // LogGOPSim's, see below
                    EXPECT_EQ(outcome.received[m], bytes * (size - 1));
                    EXPECT_EQ(known, members(0, size));
                    break;
                case Collective::alltoall:
                case Collective::alltoallv:
                    if (row.name != "bruck") {
                        EXPECT_EQ(outcome.received[m], bytes * (size - 1));
                    }
                    EXPECT_EQ(known, members(0, size));
                    break;
                case Collective::barrier:
                case Collective::allreduce:
                    if (row.name == "dissemination") break; // LogGOPSim's, see below
                    EXPECT_EQ(known, members(0, size));
                    break;
                case Collective::reduce_scatter: EXPECT_EQ(known, members(0, size)); break;
                default: FAIL() << "not a collective of traces";
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(collectives, EveryFragment,
                         testing::ValuesIn(collective_algorithms().begin(), collective_algorithms().end()),
                         [](const testing::TestParamInfo<CollectiveRow>& at) {
                             std::string name(name_of(at.param.collective));
                             name += "_" + std::string(at.param.name);
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST(Collectives, dissemination_is_loggopsims) {
    // A send waits for the receive of the round before, nothing else is ordered; the size never changes.
    RankGraph graph;
    Fragment fragment;
    fragment.begin(graph, Members{}, 2, 5, 9);
    CollectiveChoice().append(Collective::allreduce, fragment, {0, 64, {}, {}});
    fragment.close();
    const std::vector<Op> ops = {send_op(3, 64, 9), recv_op(1, 64, 9), send_op(4, 64, 9),
                                 recv_op(0, 64, 9), send_op(1, 64, 9), recv_op(3, 64, 9)};
    EXPECT_EQ(graph.ops, ops);
    const std::vector<Dependency> dependencies = {{1, 2, false}, {3, 4, false}};
    EXPECT_EQ(graph.dependencies, dependencies);
    EXPECT_EQ(std::vector<std::uint32_t>(fragment.starts().begin(), fragment.starts().end()),
              (std::vector<std::uint32_t>{0, 1, 3, 5}));
    EXPECT_EQ(std::vector<std::uint32_t>(fragment.ends().begin(), fragment.ends().end()),
              (std::vector<std::uint32_t>{0, 2, 4, 5}));
}

TEST(Collectives, loggopsims_allgather_moves_too_little) {
    // Why it is not the default: of P - 1 blocks only ceil(log2 P) arrive.
    CollectiveChoice choice;
    EXPECT_EQ(choice.name(Collective::allgather), "bruck");
    choice.set("allgather=dissemination");
    std::vector<RankGraph> graphs(16);
    for (std::uint32_t m = 0; m < 16; ++m) {
        Fragment fragment;
        fragment.begin(graphs[m], Members{}, m, 16, 0);
        choice.append(Collective::allgather, fragment, {0, 10, {}, {}});
    }
    EXPECT_EQ(run(graphs).received[3], 40u);
}

TEST(Collectives, logarithmic_and_linear_message_counts) {
    const auto messages = [](const char* assignment, std::uint32_t size) {
        CollectiveChoice choice;
        choice.set(assignment);
        std::vector<RankGraph> graphs(size);
        Fragment fragment;
        for (std::uint32_t m = 0; m < size; ++m) {
            fragment.begin(graphs[m], Members{}, m, size, 0);
            const std::string_view name =
                std::string_view(assignment).substr(0, std::string_view(assignment).find('='));
            for (const CollectiveRow& row : collective_algorithms()) {
                if (name_of(row.collective) == name) {
                    choice.append(row.collective, fragment, {0, 800, {}, {}});
                    break;
                }
            }
        }
        return run(graphs).messages;
    };
    EXPECT_EQ(messages("bcast=binomial", 16), 15u);
    EXPECT_EQ(messages("allreduce=recursive-doubling", 16), 64u);
    EXPECT_EQ(messages("allreduce=recursive-doubling", 18), 64u + 4u);
    EXPECT_EQ(messages("allreduce=rabenseifner", 16), 128u);
    EXPECT_EQ(messages("allreduce=ring", 16), 16u * 30u);
    EXPECT_EQ(messages("alltoall=bruck", 16), 64u);
    EXPECT_EQ(messages("alltoall=pairwise", 16), 240u);
    EXPECT_EQ(messages("bcast=scatter-allgather", 16), 15u + 240u);
}

TEST(Collectives, rabenseifner_moves_twice_the_vector) {
    for (const std::uint32_t size : {2u, 4u, 8u, 16u}) {
        CollectiveAlgorithm algorithm = nullptr;
        for (const CollectiveRow& row : collective_algorithms()) {
            if (row.name == "rabenseifner") algorithm = row.append;
        }
        const Outcome outcome = run(build(algorithm, size, [](std::uint32_t) {
            return FragmentCall{0, 4096, {}, {}};
        }));
        for (const Bytes sent : outcome.sent) EXPECT_EQ(sent, 2 * (4096 - 4096 / size));
    }
}

TEST(Collectives, blocks_of_different_sizes) {
    const std::uint32_t size = 7;
    const std::vector<Bytes> blocks = {5, 0, 30, 7, 0, 11, 2};
    const Bytes total = 55;
    for (const CollectiveRow& row : collective_algorithms()) {
        const bool rooted = row.collective == Collective::gatherv || row.collective == Collective::scatterv;
        if (!rooted && row.collective != Collective::allgatherv && row.collective != Collective::reduce_scatter)
            continue;
        SCOPED_TRACE(std::string(name_of(row.collective)) + " " + std::string(row.name));
        const Outcome outcome = run(build(row.append, size, [&](std::uint32_t) {
            return FragmentCall{2, 0, blocks, {}};
        }));
        if (row.collective == Collective::gatherv) {
            EXPECT_EQ(outcome.received[2], total - 30);
        }
        if (row.collective == Collective::scatterv) {
            EXPECT_EQ(outcome.sent[2], total - 30);
        }
        if (row.collective == Collective::allgatherv) {
            for (std::uint32_t m = 0; m < size; ++m) EXPECT_EQ(outcome.received[m], total - blocks[m]);
        }
        if (row.collective == Collective::reduce_scatter && row.name == "pairwise") {
            for (std::uint32_t m = 0; m < size; ++m) EXPECT_EQ(outcome.received[m], 6 * blocks[m]);
        }
    }
    // alltoallv: i sends 3 i + j bytes to j, nothing to the one two further on.
    std::vector<std::vector<Bytes>> out(size);
    std::vector<std::vector<Bytes>> in(size);
    for (std::uint32_t i = 0; i < size; ++i) {
        for (std::uint32_t j = 0; j < size; ++j) {
            out[i].push_back(j == (i + 2) % size ? 0 : 3 * i + j);
            in[i].push_back(i == (j + 2) % size ? 0 : 3 * j + i);
        }
    }
    for (const CollectiveRow& row : collective_algorithms()) {
        if (row.collective != Collective::alltoallv) continue;
        const Outcome outcome = run(build(row.append, size, [&](std::uint32_t m) {
            return FragmentCall{0, 0, out[m], in[m]};
        }));
        EXPECT_LE(outcome.messages, size * (size - 2));
        for (std::uint32_t m = 0; m < size; ++m) {
            Bytes expected = 0;
            for (std::uint32_t j = 0; j < size; ++j) expected += j == m ? 0 : out[m][j];
            EXPECT_EQ(outcome.sent[m], expected) << row.name;
        }
    }
}

TEST(Collectives, members_are_translated) {
    const std::vector<std::uint32_t> list = {9, 4, 6};
    const Members repeated{list, 10, 0};
    EXPECT_EQ(repeated(1), 4u);
    EXPECT_EQ(repeated(5), 16u); // the third of the second copy
    const Members shifted{list, 0, 100};
    EXPECT_EQ(shifted(0), 109u);
    EXPECT_EQ((Members{{}, 0, 5}(3)), 8u);

    RankGraph graph;
    Fragment fragment;
    fragment.begin(graph, Members{list, 10, 0}, 0, 3, 1);
    CollectiveChoice().append(Collective::bcast, fragment, {0, 8, {}, {}});
    ASSERT_EQ(graph.ops.size(), 2u);
    EXPECT_EQ(graph.ops[0], send_op(4, 8, 1));
    EXPECT_EQ(graph.ops[1], send_op(6, 8, 1));
}

TEST(Collectives, choosing) {
    CollectiveChoice choice;
    choice.set("bcast=binary");
    EXPECT_EQ(choice.name(Collective::bcast), "binary");
    EXPECT_EQ(choice.name(Collective::barrier), "dissemination");
    const auto message = [&](const char* text) -> std::string {
        try {
            choice.set(text);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(message("bcast").find("COLLECTIVE=ALGORITHM"), std::string::npos);
    EXPECT_NE(message("bcast=binomail").find("did you mean 'binomial'"), std::string::npos);
    EXPECT_NE(message("bcats=binary").find("did you mean 'bcast'"), std::string::npos);
    EXPECT_NE(message("alltoallv=bruck").find("there are: linear, pairwise"), std::string::npos);
}

TEST(Collectives, a_message_that_cannot_be_is_an_error) {
    RankGraph graph;
    Fragment fragment;
    fragment.begin(graph, Members{}, 0, 64, 0);
    EXPECT_THROW(CollectiveChoice().append(Collective::allgather, fragment, {0, Bytes{1} << 60, {}, {}}),
                 InputError);
}

} // namespace
} // namespace orrery::algorithms_test
