/* Streams from entropy: they differ, and leave errno and the open files as they are. Where the system
 * forbids the call, as sandboxes and old kernels do, there is an error and nothing else. */

#include <backoff.h>

#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static uint64_t open_files(void) {
  uint64_t count = 0;
  DIR *files = opendir("/proc/self/fd");
  if (!check_true("open files", "can be counted", files != NULL)) return 0;
  while (readdir(files) != NULL) count++;
  closedir(files);
  return count;
}

static void check_allowed(void) {
  uint64_t files = open_files(), one = 0, other = 0;
  errno = 77;
  check_number("entropy", "code", backoff_stream_from_entropy(&one), BACKOFF_OK);
  check_number("entropy", "code", backoff_stream_from_entropy(&other), BACKOFF_OK);
  check_number("entropy", "errno", (uint64_t)errno, 77);
  check_true("entropy", "two streams differ", one != other);
  check_number("entropy", "open files", open_files(), files);
}

/* Makes getrandom fail in this process from now on. */
static int forbid(uint32_t with) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | with),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {LENGTH(filter), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* In a process of its own, which cannot be allowed to again. */
static int check_forbidden(uint32_t with) {
  uint64_t files = open_files(), stream = CANARY;
  if (!check_true("forbidden", "the call can be", forbid(with))) return check_end();
  check_number("forbidden", "code", backoff_stream_from_entropy(&stream), BACKOFF_ERROR_NO_ENTROPY);
  check_number("forbidden", "stream", stream, CANARY);
  check_number("forbidden", "open files", open_files(), files);
  return check_failed > 0;
}

int main(void) {
  static const uint32_t errors[] = {ENOSYS, EPERM};
  for (size_t i = 0; i < LENGTH(errors); i++) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) return check_forbidden(errors[i]);
    waitpid(child, &status, 0);
    check_true("forbidden", strerror((int)errors[i]), status == 0);
  }
  check_allowed();
  return check_end();
}
