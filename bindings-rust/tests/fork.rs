//! The default streams of a process and of its forked children, which begin with a copy of its memory.
#![cfg(unix)]
#![allow(clippy::cast_possible_truncation, reason = "numbers of the system are small")]

use std::io::{PipeReader, Read, Write, pipe};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use backoff_retry::Retry;

type Wait = [u8; 16];

/// Held by each test: loops of another one would move the streams on, and hide that two children share a seed.
static ALONE: Mutex<()> = Mutex::new(());

/// The wait of a loop on a default stream, in nanoseconds.
fn wait(retry: &Retry<'_>) -> Wait {
    let mut wait = Duration::MAX;
    let plan = retry.clone().sleep(|_| {}).when(|()| true).on_retry(|event| wait = event.delay);
    plan.call(|| Err::<(), _>(())).unwrap_err();
    wait.as_nanos().to_le_bytes()
}

/// An hour has so many nanoseconds that no two waits are equal.
fn retry() -> Retry<'static> {
    Retry::new("full:base=1h,max_retries=1".parse().unwrap())
}

/// A child that writes what this function returns. It allocates nothing: after a bare `clone`, the lock of the
/// allocator may be one of a thread that does not exist.
struct Child {
    id: libc::pid_t,
    output: PipeReader,
}

impl Child {
    fn new<const N: usize>(
        fork: impl FnOnce() -> libc::pid_t,
        run: impl FnOnce() -> [u8; N],
    ) -> Self {
        let (output, mut write) = pipe().unwrap();
        let id = fork();
        assert!(id >= 0, "{}", std::io::Error::last_os_error());
        if id == 0 {
            // SAFETY: these functions take any number. The child returns to no caller.
            unsafe {
                libc::alarm(60);
                libc::_exit(write.write_all(&run()).is_err().into());
            }
        }
        Self { id, output }
    }

    fn wait<const N: usize>(mut self) -> [u8; N] {
        let mut status = -1;
        // SAFETY: the status is ours.
        assert_eq!(unsafe { libc::waitpid(self.id, &raw mut status, 0) }, self.id);
        assert_eq!(status, 0, "the child");
        let mut output = [0; N];
        self.output.read_exact(&mut output).unwrap();
        output
    }
}

fn fork() -> libc::pid_t {
    // SAFETY: the child calls only what allocates nothing and takes no lock.
    unsafe { libc::fork() }
}

/// A fork that libc does not see.
#[cfg(all(target_os = "linux", not(target_arch = "s390x")))]
fn bare_clone() -> libc::pid_t {
    // SAFETY: as before; without flags, `clone` copies the memory, as a fork does.
    unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) as libc::pid_t }
}

fn assert_distinct<T: Ord>(mut all: Vec<T>) {
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count);
}

fn children_draw_seeds_of_their_own(fork: fn() -> libc::pid_t) {
    let (_alone, retry) = (ALONE.lock(), retry());
    // The parent draws its seed before the forks.
    let mut waits = vec![wait(&retry)];
    let children = [(); 3].map(|()| Child::new(fork, || wait(&retry)));
    waits.push(wait(&retry));
    waits.extend(children.map(Child::wait));
    assert_distinct(waits);
}

#[test]
fn forked_children_draw_seeds_of_their_own() {
    children_draw_seeds_of_their_own(fork);
}

#[cfg(all(target_os = "linux", not(target_arch = "s390x")))]
#[test]
fn children_of_a_bare_clone_draw_seeds_of_their_own() {
    children_draw_seeds_of_their_own(bare_clone);
}

#[test]
fn a_grandchild_draws_a_seed_of_its_own() {
    let (_alone, retry) = (ALONE.lock(), retry());
    let before = wait(&retry);
    let both: [u8; 32] = Child::new(fork, || {
        let mut both = [0; 32];
        both[..16].copy_from_slice(&wait(&retry));
        both[16..].copy_from_slice(&Child::new(fork, || wait(&retry)).wait::<16>());
        both
    })
    .wait();
    let after = wait(&retry);
    assert_distinct(vec![&before[..], &both[..16], &both[16..], &after]);
}

#[test]
fn children_hang_at_no_thread_that_retries() {
    let (_alone, retry, stop) = (ALONE.lock(), retry(), AtomicBool::new(false));
    let waits = thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    wait(&retry);
                }
            });
        }
        let children = (0..50).map(|_| Child::new(fork, || wait(&retry)).wait::<16>());
        let waits = children.collect();
        stop.store(true, Ordering::Relaxed);
        waits
    });
    assert_distinct(waits);
}

/// Runs the tests of this file in a process to which the system gives no memory that it wipes in a child.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn they_do_so_where_the_system_wipes_no_memory() {
    use std::os::unix::process::CommandExt;
    use std::{env, fs, process};

    const REFUSED: &str = "BACKOFF_TEST_WIPE_ON_FORK_REFUSED";

    fn has_wiped_memory() -> bool {
        wait(&retry());
        fs::read_to_string("/proc/self/smaps").unwrap().contains(" wf")
    }

    /// From now on, also after `exec`, `madvise` with `MADV_WIPEONFORK` fails with `EINVAL`.
    fn refuse() -> std::io::Result<()> {
        let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
        let equal = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
        let (answer, refusal) = (libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO);
        // The number of the call is at byte 0, the low half of its third argument at 32.
        let mut filter = [
            (load, 0, 0, 0),
            (equal, 0, 3, libc::SYS_madvise as u32),
            (load, 0, 0, 32),
            (equal, 0, 1, libc::MADV_WIPEONFORK as u32),
            (answer, 0, 0, refusal | libc::EINVAL as u32),
            (answer, 0, 0, libc::SECCOMP_RET_ALLOW),
        ]
        .map(|(code, jt, jf, k)| libc::sock_filter { code: code as u16, jt, jf, k });
        let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
        // SAFETY: the kernel copies the program.
        let failed = unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
                || libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program)
                    != 0
        };
        if failed { Err(std::io::Error::last_os_error()) } else { Ok(()) }
    }

    let _alone = ALONE.lock();
    if env::var_os(REFUSED).is_some() {
        assert!(!has_wiped_memory());
        return;
    }
    assert!(has_wiped_memory());
    let mut tests = process::Command::new(env::current_exe().unwrap());
    // SAFETY: `refuse` only makes system calls.
    let output = unsafe { tests.env(REFUSED, "1").pre_exec(refuse) }.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
