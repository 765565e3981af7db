//! Processes that share one budget: the members of the core and one store, in random orders of what they do, with calls
//! that fail, processes that die and clocks that jump. A seed decides everything, so a failure can be replayed.

use std::time::{Duration, Instant};

use backoff_core::{
    Budget, BudgetEvent, BudgetMember, Fallback, MemberAnswer, Outcome, RandomStream, SteppedState,
};

const MS: u64 = 1_000_000;
const S: u64 = 1000 * MS;
/// The clock of the store when the processes begin.
const EPOCH: u64 = 1_700_000_000 * S;
const RETRIED: [Outcome; 3] = [Outcome::Transient, Outcome::Throttled, Outcome::Timeout];

/// What the steps of an exchange tell the store.
#[derive(Clone, Copy, Default)]
struct Sent {
    granted: u64,
    began: u64,
    /// The tokens that successes give to a quota: what they hold, or one.
    given_back: u64,
}

/// How far a process is with its exchange.
enum Exchange {
    None,
    /// It loads the text at this time.
    Begun(u64),
    Stepped(Option<String>, String, Sent),
}

struct Process {
    member: BudgetMember,
    exchange: Exchange,
    waiting: Vec<Outcome>,
    held: Vec<(u64, bool)>,
}

impl Process {
    fn new(budget: &str, lease: u64, fallback: Fallback, seed: u64) -> Self {
        let budget = Budget::parse(budget).unwrap();
        let member = BudgetMember::new(&budget, &budget, lease, fallback, S / 10, seed);
        Self { member, exchange: Exchange::None, waiting: Vec::new(), held: Vec::new() }
    }
}

struct Fleet {
    budget: &'static str,
    lease: u64,
    stream: RandomStream,
    draws: u32,
    now: u64,
    clock: u64,
    text: Option<String>,
    /// What the store has been told.
    stored: Sent,
    /// Granted to callers: by the store, and by local budgets.
    granted: u64,
    local: u64,
}

impl Fleet {
    fn below(&mut self, limit: u64) -> u64 {
        self.draws += 1;
        self.stream.draw(self.draws) % limit
    }

    fn process(&mut self) -> Process {
        let seed = self.below(u64::MAX);
        Process::new(self.budget, self.lease, Fallback::Share, seed)
    }

    /// An operation that fails, and perhaps the end of an earlier one.
    fn operate(&mut self, process: &mut Process) {
        if !process.waiting.is_empty() {
            return;
        }
        let member = &mut process.member;
        if self.below(3) == 0
            && let Some((held, is_local)) = process.held.pop()
        {
            member.note(BudgetEvent::OperationSucceeded { held }, is_local, self.now);
        }
        member.note(BudgetEvent::OperationBegan, false, self.now);
        member.note(BudgetEvent::AttemptFailed, false, self.now);
        let outcome = RETRIED[usize::try_from(self.below(3)).unwrap()];
        self.request(process, outcome);
    }

    fn request(&mut self, process: &mut Process, outcome: Outcome) {
        match process.member.request(outcome, self.now) {
            MemberAnswer::Waits => process.waiting.push(outcome),
            MemberAnswer::Refused => {}
            MemberAnswer::Granted { held, is_local } => {
                process.held.push((held, is_local));
                *(if is_local { &mut self.local } else { &mut self.granted }) += 1;
            }
        }
    }

    /// The next call of the process to the store.
    fn exchange(&mut self, process: &mut Process) {
        let fails = self.below(30) == 0;
        match std::mem::replace(&mut process.exchange, Exchange::None) {
            Exchange::None if process.member.due_in(self.now) == Some(0) => {
                process.member.begin(self.now);
                process.exchange = Exchange::Begun(self.now);
            }
            Exchange::None => {}
            Exchange::Begun(at) if at > self.now => process.exchange = Exchange::Begun(at),
            Exchange::Begun(_) if fails => self.fail(process, false),
            Exchange::Begun(_) => self.step(process),
            Exchange::Stepped(before, after, sent) => {
                // The text may arrive although the answer is lost.
                if fails && self.below(2) == 0 {
                    return self.fail(process, true);
                }
                let is_swapped = self.text == before;
                if is_swapped {
                    self.text = Some(after);
                    self.tell(sent);
                }
                match (fails, is_swapped) {
                    (true, _) => self.fail(process, true),
                    (false, true) => self.end(process),
                    (false, false) => match process.member.lost(self.now) {
                        Some(wait) => process.exchange = Exchange::Begun(self.now + wait),
                        None => self.fail(process, false),
                    },
                }
            }
        }
    }

    fn step(&mut self, process: &mut Process) {
        let text = self.text.as_deref().map(str::as_bytes);
        let stepped = process.member.step(text, self.clock + self.now);
        let mut sent = Sent::default();
        for step in process.member.steps() {
            sent.granted += step.granted;
            match step.event {
                BudgetEvent::OperationBegan => sent.began += step.count,
                BudgetEvent::OperationSucceeded { held } => {
                    sent.given_back += held.max(1) * step.count;
                }
                _ => {}
            }
        }
        match stepped.expect("the store holds states") {
            SteppedState::Unchanged(_) => {
                self.tell(sent);
                self.end(process);
            }
            SteppedState::Changed(after) => {
                process.exchange = Exchange::Stepped(self.text.clone(), after.to_string(), sent);
            }
        }
    }

    fn tell(&mut self, sent: Sent) {
        self.stored.granted += sent.granted;
        self.stored.began += sent.began;
        self.stored.given_back += sent.given_back;
    }

    fn end(&mut self, process: &mut Process) {
        let answers = process.member.stored(self.now);
        for outcome in RETRIED {
            for is_granted in [true, false] {
                let count =
                    if is_granted { answers.granted(outcome) } else { answers.refused(outcome) };
                for _ in 0..count {
                    let at = process.waiting.iter().position(|&waits| waits == outcome).unwrap();
                    process.waiting.remove(at);
                    if is_granted {
                        process.held.push((answers.held(outcome), false));
                        self.granted += 1;
                    }
                }
            }
        }
        if process.member.is_away(self.now) {
            self.ask_again(process);
        }
    }

    fn fail(&mut self, process: &mut Process, may_be_stored: bool) {
        process.member.failed(may_be_stored, self.now);
        self.ask_again(process);
    }

    /// The store is away: the local budget decides on what waits.
    fn ask_again(&mut self, process: &mut Process) {
        for outcome in std::mem::take(&mut process.waiting) {
            self.request(process, outcome);
        }
    }
}

/// Those of every day; or, from a seed on, as many as a number of seconds allows, at least one:
/// `BACKOFF_FLEET="SEED SECONDS"`.
fn seeds() -> Box<dyn Iterator<Item = u64>> {
    let Ok(given) = std::env::var("BACKOFF_FLEET") else { return Box::new(0..30) };
    let (first, seconds) = given.split_once(' ').expect("a seed and seconds");
    let (first, time) = (first.parse().unwrap(), Duration::from_secs(seconds.parse().unwrap()));
    let began = Instant::now();
    Box::new((first..).take_while(move |&seed| {
        let goes_on = seed == first || began.elapsed() < time;
        if !goes_on {
            println!("the seeds {first} to {}", seed - 1);
        }
        goes_on
    }))
}

/// The store never grants more than one budget in one process would, whatever goes wrong.
#[test]
fn the_grants_stay_within_the_closed_form() {
    type Limit = fn(&Sent, u64) -> u64;
    let budgets: [(&str, Limit); 3] = [
        ("rate:max_tokens=20,per=1s", |_, passed| 20 + passed * 20 / S),
        ("ratio:max_tokens=20,ratio=0.1", |stored, _| 20 + stored.began / 10),
        ("quota:max_tokens=20,cost=1", |stored, _| 20 + stored.given_back),
    ];
    for seed in seeds() {
        for ((budget, limit), lease) in budgets.iter().flat_map(|row| [(row, 1), (row, 8)]) {
            let mut fleet = Fleet {
                budget,
                lease,
                stream: RandomStream::from_seed(seed),
                draws: 0,
                now: 0,
                clock: EPOCH,
                text: None,
                stored: Sent::default(),
                granted: 0,
                local: 0,
            };
            let mut processes: Vec<_> = (0..16).map(|_| fleet.process()).collect();
            let mut jumped = 0;
            for _ in 0..6000 {
                fleet.now += fleet.below(3 * MS);
                if fleet.below(3000) == 0 {
                    let jump = fleet.below(60 * S);
                    fleet.clock = fleet.clock + jump - 30 * S;
                    jumped += jump.saturating_sub(30 * S);
                }
                let place = usize::try_from(fleet.below(16)).unwrap();
                match fleet.below(300) {
                    0 => processes[place] = fleet.process(),
                    1..100 => fleet.operate(&mut processes[place]),
                    100..105 if !processes[place].waiting.is_empty() => {
                        processes[place].member.late(fleet.now);
                        fleet.ask_again(&mut processes[place]);
                    }
                    _ => fleet.exchange(&mut processes[place]),
                }
            }
            let case = format!("{budget}, lease {lease}, seed {seed}");
            let (stored, most) = (fleet.stored.granted, limit(&fleet.stored, fleet.now + jumped));
            assert!(stored <= most, "{case}: {stored} of {most}");
            assert!(fleet.granted <= stored, "{case}: {} of {stored}", fleet.granted);
            assert!(stored > 0 && fleet.local > 0, "{case}: nothing happens");
        }
    }
}

/// While the store is away, all processes together grant about as much as one.
#[test]
fn a_fleet_without_its_store_grants_one_budget() {
    // Each process alone wants more than the budget of 8 retries a second.
    let grants = |fallback, count: u64| {
        let process = |seed| Process::new("rate:max_tokens=8,per=1s", 1, fallback, seed).member;
        let mut members: Vec<_> = (0..count).map(process).collect();
        let mut text = None;
        for told in [false, true] {
            for member in &mut members {
                member.begin(0);
                let stepped = member.step(text.as_deref().map(str::as_bytes), EPOCH);
                let Some(SteppedState::Changed(after) | SteppedState::Unchanged(after)) = stepped
                else {
                    panic!("{text:?} is no state");
                };
                text = Some(after.to_string());
                if told {
                    member.failed(true, 0);
                } else {
                    let _ = member.stored(0);
                }
            }
        }
        let mut granted = 0;
        for now in (0..10 * S).step_by(20 * usize::try_from(MS).unwrap()) {
            for member in &mut members {
                if !member.is_away(now) {
                    member.begin(now);
                    member.failed(false, now);
                }
                let answer = member.request(Outcome::Transient, now);
                granted += u64::from(matches!(answer, MemberAnswer::Granted { .. }));
            }
        }
        granted
    };
    let whole = 8 + 8 * 10;
    let one = grants(Fallback::Share, 1);
    assert!((whole - 8..=whole).contains(&one), "{one}");
    for processes in [2, 16, 64] {
        // Whose turn it is at the end is left to chance.
        let about = whole - 8 - processes / 2..=whole + processes / 2;
        for fallback in [Fallback::Share, Fallback::ShareOf(processes)] {
            let together = grants(fallback, processes);
            assert!(about.contains(&together), "{processes}: {together}");
        }
    }
    assert!(grants(Fallback::Whole, 16) >= 16 * (whole - 8));
    assert_eq!(grants(Fallback::Refuse, 16), 0);
}
