// The loop of backoff.hpp with the interface of backoff_retry, so that tests/loops.py can play it.

#include <backoff.hpp>

extern "C" {
extern int caller_fails;
int caller_fails = 0;
}

namespace {

backoff_loop_event raw(const backoff::event &event) {
  return {event.attempts, static_cast<uint64_t>(event.delay.count()),
          static_cast<uint64_t>(event.elapsed.count()), static_cast<backoff_outcome>(event.outcome),
          static_cast<backoff_reason>(event.reason), {}};
}

// What the caller's code throws, where loops.py says so.
struct Failed {};

void fail_if_told() {
  if (caller_fails) throw Failed();
}

backoff::nanoseconds time(uint64_t ns) { return backoff::nanoseconds(static_cast<int64_t>(ns)); }

}  // namespace

extern "C" backoff_code wrapper_retry(const backoff_loop *loop, uint64_t stream, void *context,
                                      backoff_loop_event *end) {
  backoff::policy used;
  if (loop->policy) used.raw = *loop->policy;
  backoff::options options;
  options.stream = backoff::stream(stream);
  if (loop->deadline_ns != 0 && loop->deadline_ns != BACKOFF_NO_TIME) {
    options.deadline = backoff::clock::time_point(time(loop->deadline_ns));
  }
  // Each of them has nothing but the struct of C.
  options.budget = reinterpret_cast<backoff::budget *>(loop->budget);
  options.stats = reinterpret_cast<backoff::retry_stats *>(loop->stats);
  options.now = [=] { return backoff::clock::time_point(time(loop->now(context))); };
  // A wait that C cuts short cancels the loop, without a call of `cancelled`.
  bool is_cut_short = false;
  options.sleep = [=, &is_cut_short](backoff::nanoseconds delay) {
    is_cut_short = loop->wait(context, static_cast<uint64_t>(delay.count())) != 0;
    fail_if_told();
  };
  options.cancelled = [=, &is_cut_short] {
    return is_cut_short || (loop->cancelled && loop->cancelled(context) != 0);
  };
  if (loop->on_retry) {
    options.on_retry = [=](const backoff::event &event) {
      const backoff_loop_event now = raw(event);
      loop->on_retry(context, &now);
      fail_if_told();
    };
  }
  if (loop->on_stop) {
    options.on_stop = [=](const backoff::event &event) {
      const backoff_loop_event now = raw(event);
      loop->on_stop(context, &now);
      fail_if_told();
    };
  }
  if (loop->delay) {
    // 2^64 - 1 is below 0.
    options.delay = [=](uint64_t index, backoff::outcome last) {
      return time(loop->delay(context, index, static_cast<backoff_outcome>(last)));
    };
  }
  const auto informed = [=](const backoff::attempt_info &info) {
    const auto left = info.time_left == (backoff::nanoseconds::max)()
                          ? BACKOFF_NO_TIME
                          : static_cast<uint64_t>(info.time_left.count());
    const auto last = static_cast<backoff_outcome>(info.last_outcome);
    const backoff_loop_attempt_info known = {info.number, left, last, 0, {}};
    backoff::verdict verdict(backoff::outcome::none);
    verdict.outcome = static_cast<backoff::outcome>(
        loop->attempt_with(context, &known, &verdict.retry_after_ns));
    return verdict;
  };
  const auto attempt = [=] {
    backoff::verdict verdict(backoff::outcome::none);
    verdict.outcome =
        static_cast<backoff::outcome>(loop->attempt(context, &verdict.retry_after_ns));
    return verdict;
  };
  try {
    const auto ended = loop->attempt_with ? backoff::retry(used, informed, options)
                                          : backoff::retry(used, attempt, options);
    if (ended) *end = raw(ended.value());
    return ended.error().code();
  } catch (const Failed &) {
    return static_cast<backoff_code>(UINT32_MAX);
  }
}
