// The replay of reference/replay.h: replay_twin.cpp has what happens when, replay_cpus.cpp who has a CPU,
// replay_messages.cpp what becomes of a message, replay_actions.cpp what each action does,
// replay_collectives.cpp communicators and collectives, replay_windows.cpp one-sided communication.
#pragma once

#include "reference/replay.h"
#include "reference/replay_state.h"
#include "reference/replay_windows.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace orrery::reference {

class ReplayTwin {
  public:
    ReplayTwin(ActionSource& actions, const Platform& platform, const std::vector<HostId>& hosts,
               const Delays& delays, const ReplayOptions& options);
    ReplayTwin(const ReplayTwin&) = delete;
    ReplayTwin& operator=(const ReplayTwin&) = delete;
    ReferenceReplay run();

  private:
    // What happens when.
    void at(Time time, std::function<void()> happens);
    void go_on_at(Fiber& fiber, Time time);
    bool happens_now();
    Fiber& add_fiber(std::uint32_t rank, std::uint32_t cpu);
    void go_on(Fiber& fiber);
    Routine sleep_until(Fiber& fiber, Time time);
    Routine be_in_call(Fiber& fiber);
    void let_go_on(Fiber& fiber);

    // CPUs.
    [[nodiscard]] bool by_cpu() const { return options_.endpoint.matching == Matching::at_arrival; }
    RankCpuState& cpu_of(const Fiber& fiber) { return cpus_[fiber.rank][fiber.cpu]; }
    static Time cost(const Piecewise& table, Bytes bytes);
    Time with_noise(const Fiber& fiber, Time busy);
    [[nodiscard]] Time taking_until(std::uint32_t rank) const;
    Routine begin(Fiber& fiber, bool takes_time);
    Routine work(Fiber& fiber, Time busy);
    Routine compute(Fiber& fiber, Time busy);
    void read_clock(SharedHost& host);
    void plan_next_end(SharedHost& host);
    void end_computations(SharedHost& host);
    bool cpus_begin();
    void take_next(std::uint32_t rank, std::uint32_t cpu);
    void to_be_taken(PostedRequest& request);
    Routine look(Fiber& fiber);

    // Messages.
    PostedRequest& make(const Fiber& fiber, PostedRequest::Kind kind);
    PostedRequest& post_send(Fiber& fiber, const PostedRequest& message, bool synchronous);
    PostedRequest& post_receive(Fiber& fiber, const PostedRequest& message);
    void send_at_once(PostedRequest& send);
    void leave(LeavingKind kind, PostedRequest& send);
    bool messages_leave();
    void envelope_leaves(PostedRequest& send);
    void clear_to_send_leaves(PostedRequest& send);
    void fly(FlightKind kind, PostedRequest& send);
    bool land();
    void landed(const MessageFlight& flight);
    void envelope_arrives(PostedRequest& send);
    void announce(PostedRequest& send);
    PostedRequest* find_receive(const PostedRequest& send);
    PostedRequest* find_message(const PostedRequest& receive);
    void match(PostedRequest& send, PostedRequest& receive);
    void cleared(PostedRequest& send);
    void bytes_arrive(PostedRequest& send);
    void take_or_complete(PostedRequest& receive);
    void taken(PostedRequest& request);
    void told(PostedRequest& send);
    void complete(PostedRequest& request);
    void withdraw(PostedRequest& send);
    void message_came(std::uint32_t rank);
    bool forgotten_receive();
    [[nodiscard]] Time taking_cost(const PostedRequest& request) const;
    [[nodiscard]] Time waiting_cost(const PostedRequest& request) const;

    // Calls.
    Routine run_rank(Fiber& fiber);
    Routine perform(Fiber& fiber, const Action& action);
    Routine pause(Fiber& fiber, const Action& action);
    Routine send(Fiber& fiber, PostedRequest message, bool blocking, bool synchronous, PostedRequest** request);
    Routine receive(Fiber& fiber, PostedRequest message);
    Routine exchange(Fiber& fiber, PostedRequest out, PostedRequest in);
    Routine wait_for(Fiber& fiber, std::vector<PostedRequest*> requests);
    Routine wait_for(Fiber& fiber, PostedRequest& request);
    Routine wait_for_one(Fiber& fiber, std::vector<PostedRequest*> requests);
    Routine wait(Fiber& fiber, const Action& action);
    Routine choose(Fiber& fiber, const Action& action);
    Routine await(Fiber& fiber, const Action& action);
    Routine test(Fiber& fiber, const Action& action);
    Routine probe(Fiber& fiber, const Action& action);
    void receive_later(Fiber& fiber, const Action& action);
    PostedRequest message_of(const Fiber& fiber, const Action& action, std::uint32_t peer, Bytes bytes,
                             bool outgoing);
    PostedRequest* take_request(std::uint32_t rank, std::uint32_t number);
    std::vector<std::uint32_t> numbers(const Fiber& fiber, const Action& action);
    void account(std::uint32_t rank, CallKind kind);
    [[nodiscard]] Time busy_time(std::uint32_t rank, double volume) const;

    // Communicators and collectives.
    struct CollectiveToRun {
        Steps steps;
        std::uint32_t communicator = 0;
        std::uint32_t number = 0;
    };
    Membership& member(std::uint32_t rank, std::uint32_t communicator);
    void join(std::uint32_t rank, std::uint32_t name, std::uint32_t index);
    std::uint32_t add_communicator(std::vector<std::uint32_t> members);
    CollectiveToRun collective(Membership& member, CollectiveCall call, bool nonblocking, Steps steps = {});
    Routine run_steps(Fiber& fiber, CollectiveToRun& run);
    Routine work_on(Fiber& fiber, Bytes bytes, double per_byte);
    void run_aside(Fiber& fiber, const Action& action);
    Routine run_beside(Fiber& fiber, std::shared_ptr<CollectiveToRun> run, std::shared_ptr<KeptCall> kept,
                       Time computed_after, PostedRequest& done);
    PostedRequest& spawn(std::uint32_t rank, std::shared_ptr<CollectiveToRun> run,
                         std::shared_ptr<KeptCall> kept, Time computed_after);
    Routine perform_collective(Fiber& fiber, const Action& action);
    Routine split(Fiber& fiber, const Action& action);
    void create(const Fiber& fiber, const Action& action);

    // Windows.
    Routine one_sided(Fiber& fiber, const Action& action);
    Routine window_call(Fiber& fiber, const Action& action);
    ReplayedWindow& window_of(const Membership& member);
    OneSidedOperation& add_operation(ReplayedWindow& window, OneSidedOperation::Kind kind, std::uint32_t from,
                                     std::uint32_t to, bool answered);
    std::vector<OneSidedOperation*> operations_of(ReplayedWindow& window, std::uint32_t own,
                                                  const Action& action, std::span<const Bytes> ranks);
    Routine send_operations(Fiber& fiber, ReplayedWindow& window, std::vector<OneSidedOperation*> operations);
    void fly_operation(ReplayedWindow& window, OneSidedOperation& operation, Bytes bytes, std::uint32_t from,
                       std::uint32_t to);
    void operation_lands(ReplayedWindow& window, OneSidedOperation& operation);
    void perform_what_can(ReplayedWindow& window, std::uint32_t from, std::uint32_t to);
    void give_up_lock(ReplayedWindow& window, const OneSidedOperation& unlock,
                      std::vector<std::uint32_t>& granted);
    void perform_operation(ReplayedWindow& window, OneSidedOperation& operation);
    void is_over(OneSidedOperation& operation);
    void look_again(ReplayedWindow& window, std::uint32_t member);

    ActionSource& actions_;
    const Platform& platform_;
    const std::vector<HostId>& hosts_;
    const Delays delays_;
    const ReplayOptions& options_;
    Time now_;
    std::vector<Fiber*> ready_;
    std::vector<TimedEvent> events_;     // in the order of their times, then as they were planned
    std::vector<MessageFlight> flights_; // as they started
    std::vector<LeavingMessage> leaving_;
    std::vector<std::unique_ptr<Fiber>> fibers_; // the first ones are those of the ranks
    std::vector<std::unique_ptr<PostedRequest>> requests_;
    std::vector<PostedRequest*> under_way_;  // sends whose envelopes are, in the order in which they left
    std::vector<PostedRequest*> unexpected_; // in the order in which they arrived
    std::vector<PostedRequest*> posted_;     // receives
    std::vector<PostedRequest*> passed_by_;  // receives that are forgotten, and that a message has passed by
    std::vector<std::vector<RankCpuState>> cpus_;
    std::vector<std::unique_ptr<SharedHost>> shared_hosts_; // per host; null: it has enough cores
    std::vector<ReplayedRank> ranks_;
    std::vector<ReplayedCommunicator> communicators_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<SplitOffer>> offers_; // by communicator, call
    std::map<std::vector<std::uint32_t>, std::uint32_t> made_; // parent, call and colour -> communicator
    // Of comm_create: rank and members -> how often; how often before and members -> communicator.
    std::map<std::vector<std::uint32_t>, std::uint32_t> times_;
    std::map<std::vector<std::uint32_t>, std::uint32_t> created_;
    std::map<std::uint32_t, ReplayedWindow> windows_; // by communicator
    std::uint64_t posted_so_far_ = 0;
    std::uint32_t failed_looks_ = 0;
    ReferenceReplay result_;
};

} // namespace orrery::reference
