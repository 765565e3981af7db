// The loop from C++11. The job is an object; its address is the context of the loop.

#include <backoff.h>

#include <chrono>
#include <iostream>
#include <string>
#include <thread>

namespace {

// A job that succeeds at the third attempt.
struct Job {
  int attempts = 0;

  backoff_outcome attempt() {
    return ++attempts < 3 ? BACKOFF_OUTCOME_TRANSIENT : BACKOFF_OUTCOME_SUCCESS;
  }
};

uint64_t now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

}  // namespace

int main() {
  const std::string text = "full:base=100ms,cap=20s,max_retries=3";
  backoff_policy policy;
  backoff_error error;
  if (backoff_policy_parse(&policy, text.data(), text.size(), &error) != BACKOFF_OK) {
    char message[BACKOFF_TEXT_SIZE];
    backoff_error_message(&error, message, sizeof message, nullptr);
    std::cerr << message << '\n';
    return 1;
  }

  // No exception may leave a callback.
  backoff_loop loop{};
  loop.policy = &policy;
  loop.attempt = [](void *context, uint64_t *) noexcept {
    return static_cast<Job *>(context)->attempt();
  };
  loop.now = [](void *) noexcept { return now(); };
  loop.wait = [](void *, uint64_t delay_ns) noexcept -> uint32_t {
    std::this_thread::sleep_for(std::chrono::nanoseconds(delay_ns));
    return 0;
  };
  loop.on_retry = [](void *, const backoff_loop_event *event) noexcept {
    std::cout << "attempt " << event->attempts << " failed, wait " << event->delay_ns << " ns\n";
  };

  Job job;
  uint64_t stream;
  backoff_loop_event end;
  if (backoff_stream_from_key(42, "job-1", 5, &stream) != BACKOFF_OK ||
      backoff_retry(&loop, stream, &job, &end) != BACKOFF_OK) {
    return 1;
  }
  std::cout << backoff_reason_name(end.reason) << " after " << end.attempts << " attempts\n";
  return end.reason != BACKOFF_REASON_SUCCESS;
}
