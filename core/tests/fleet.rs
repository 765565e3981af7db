//! A fleet of processes that share one budget, simulated: the members of the core, one store, and a
//! network that is slow, loses and repeats messages, and is cut. A seed decides everything, so a
//! failure can be replayed.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use backoff_core::{
    Budget, BudgetEvent, BudgetMember, Fallback, MemberAnswer, Outcome, RandomStream, SteppedState,
};

const US: u64 = 1000;
const MS: u64 = 1000 * US;
const S: u64 = 1000 * MS;
/// The clock of the store when the simulation begins.
const EPOCH: u64 = 1_700_000_000 * S;
const TIMEOUT: u64 = 100 * MS;
const SEEDS: u64 = 30;
const RETRIED: [Outcome; 3] = [Outcome::Transient, Outcome::Throttled, Outcome::Timeout];

/// What happens to a fleet.
#[derive(Clone, Copy)]
struct Plan {
    budget: &'static str,
    processes: usize,
    lease: u64,
    fallback: Fallback,
    /// How long a process pauses between two operations, on average.
    think: u64,
    duration: u64,
    /// When the store goes away and comes back.
    outage: [u64; 2],
    faults: Faults,
}

/// How often something goes wrong, in millionths.
#[derive(Clone, Copy, Default)]
struct Faults {
    /// A message is lost, delivered twice, or takes up to a second.
    lost: u64,
    repeated: u64,
    slow: u64,
    /// With each operation: a process dies and begins anew; it is cut off for up to 3 s; the clock of
    /// the store jumps by up to 30 s.
    crash: u64,
    cut: u64,
    jump: u64,
}

const NO_FAULTS: Faults = Faults { lost: 0, repeated: 0, slow: 0, crash: 0, cut: 0, jump: 0 };
const FAULTS: Faults =
    Faults { lost: 3000, repeated: 3000, slow: 3000, crash: 300, cut: 300, jump: 100 };

/// A message between a process and the store, or something that a process waits for.
enum Event {
    /// The process begins an operation, or begins to exchange, if there is anything to do.
    Operate,
    Wake,
    Flush,
    /// A call of this exchange arrives at the store, and its answer at the process.
    Load(u64),
    Loaded(u64, Option<String>, u64),
    Swap(u64, Option<String>, String, Sent),
    Swapped(u64, bool),
    /// The process loads again after a lost swap.
    LoadAgain(u64),
    /// The process gives up a call.
    GiveUp(u64, bool),
    /// A request has waited for the timeout.
    Late(u64),
}

/// What the steps of an exchange tell the store.
#[derive(Clone, Copy, Default)]
struct Sent {
    granted: u64,
    began: u64,
    /// The tokens that successes give to a quota: what they hold, or one.
    given_back: u64,
}

impl Sent {
    fn add(&mut self, more: Self) {
        self.granted += more.granted;
        self.began += more.began;
        self.given_back += more.given_back;
    }
}

struct Process {
    member: BudgetMember,
    /// Of the process that runs here now. Messages for an earlier one are dropped.
    life: u64,
    /// The requests that wait, and when they began.
    waiting: VecDeque<(u64, Outcome, u64)>,
    /// The calls so far: an answer to an earlier one is dropped.
    call: u64,
    cut_until: u64,
    held: Vec<(u64, bool)>,
}

#[derive(Default)]
struct Counts {
    steps: u64,
    operations: u64,
    /// Granted to callers: by the store, and by local budgets.
    granted: u64,
    local: u64,
    exchanges: u64,
    calls: u64,
    /// What the store has been told.
    stored: Sent,
    /// How far the store's clock has come, with all its jumps ahead.
    forward: u64,
    /// How long each request waited that the store answered.
    waits: Vec<u64>,
}

struct Fleet {
    plan: Plan,
    stream: RandomStream,
    draws: u32,
    now: u64,
    number: u64,
    queue: BinaryHeap<Reverse<(u64, u64, usize, u64)>>,
    events: Vec<Option<Event>>,
    processes: Vec<Process>,
    text: Option<String>,
    /// What the store's clock shows, less the time of the simulation.
    clock: u64,
    /// Until when the store, which does one thing at a time, is busy.
    busy_until: u64,
    counts: Counts,
}

impl Fleet {
    fn new(plan: Plan, seed: u64) -> Self {
        let mut fleet = Self {
            plan,
            stream: RandomStream::from_seed(seed),
            draws: 0,
            now: 0,
            number: 0,
            queue: BinaryHeap::new(),
            events: Vec::new(),
            processes: Vec::new(),
            text: None,
            clock: EPOCH,
            busy_until: 0,
            counts: Counts::default(),
        };
        for place in 0..plan.processes {
            let process = fleet.process(0);
            fleet.processes.push(process);
            let begins = fleet.below(plan.think.min(S));
            fleet.after(begins, place, Event::Operate);
        }
        fleet
    }

    fn process(&mut self, life: u64) -> Process {
        let budget = Budget::parse(self.plan.budget).unwrap();
        let seed = self.draw();
        Process {
            member: BudgetMember::new(
                &budget,
                &budget,
                self.plan.lease,
                self.plan.fallback,
                TIMEOUT,
                seed,
            ),
            life,
            waiting: VecDeque::new(),
            call: 0,
            cut_until: 0,
            held: Vec::new(),
        }
    }

    fn draw(&mut self) -> u64 {
        self.draws += 1;
        self.stream.draw(self.draws)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.draw() % limit.max(1)
    }

    fn happens(&mut self, millionths: u64) -> bool {
        millionths > 0 && self.below(1_000_000) < millionths
    }

    fn after(&mut self, delay: u64, place: usize, event: Event) {
        let life = self.processes.get(place).map_or(0, |process| process.life);
        self.queue.push(Reverse((self.now + delay, self.number, place, life)));
        self.events.push(Some(event));
        self.number += 1;
    }

    /// Sends a message, which may be lost or come twice.
    fn send(&mut self, place: usize, event: impl Fn() -> Event) {
        let Faults { lost, repeated, slow, .. } = self.plan.faults;
        let [from, to] = self.plan.outage;
        let is_away = (from..to).contains(&self.now);
        if is_away || self.processes[place].cut_until > self.now || self.happens(lost) {
            return;
        }
        for _ in 0..=u32::from(self.happens(repeated)) {
            let latency = 50 * US + self.below(100 * US);
            let latency = if self.happens(slow) { latency + self.below(S) } else { latency };
            self.after(latency, place, event());
        }
    }

    fn run(mut self) -> Counts {
        let end = self.plan.duration + 2 * S;
        for place in 0..self.plan.processes {
            self.after(self.plan.duration + S, place, Event::Flush);
        }
        while let Some(Reverse((at, number, place, life))) = self.queue.pop() {
            self.now = at;
            let event = self.events[usize::try_from(number).unwrap()].take().unwrap();
            // What a process has sent arrives also after its death.
            let is_sent = matches!(event, Event::Load(_) | Event::Swap(..));
            if self.processes[place].life != life && !is_sent {
                continue;
            }
            if at > end {
                break;
            }
            self.counts.steps += 1;
            self.happen(place, event);
        }
        for process in &self.processes {
            assert!(process.waiting.is_empty(), "a request has no answer");
        }
        self.counts.forward += self.plan.duration;
        self.counts
    }

    fn happen(&mut self, place: usize, event: Event) {
        match event {
            Event::Operate => self.operate(place),
            Event::Wake => self.exchange(place, false),
            Event::Flush if self.processes[place].member.has_unsent() => self.exchange(place, true),
            Event::Load(_) | Event::Swap(..) => self.serve(place, event),
            Event::Loaded(call, text, clock) if call == self.processes[place].call => {
                self.loaded(place, text.as_deref(), clock);
            }
            Event::Swapped(call, is_swapped) if call == self.processes[place].call => {
                self.swapped(place, is_swapped);
            }
            Event::LoadAgain(call) if call == self.processes[place].call => self.load(place),
            Event::GiveUp(call, is_swap) if call == self.processes[place].call => {
                self.fail(place, is_swap);
            }
            Event::Late(request) => {
                if self.processes[place].waiting.iter().any(|&(number, ..)| number == request) {
                    let now = self.now;
                    self.processes[place].member.late(now);
                    self.ask_again(place);
                }
            }
            Event::Flush
            | Event::Loaded(..)
            | Event::Swapped(..)
            | Event::LoadAgain(_)
            | Event::GiveUp(..) => {}
        }
    }

    /// An operation that fails, and perhaps the end of an earlier one.
    fn operate(&mut self, place: usize) {
        let Faults { crash, cut, jump, .. } = self.plan.faults;
        if self.now >= self.plan.duration {
            return;
        }
        if self.happens(jump) {
            let jump = self.below(60 * S);
            self.clock = self.clock + jump - 30 * S;
            self.counts.forward += jump.saturating_sub(30 * S);
        }
        if self.happens(cut) {
            self.processes[place].cut_until = self.now + self.below(3 * S);
        }
        if self.happens(crash) {
            let life = self.processes[place].life + 1;
            self.processes[place] = self.process(life);
        }
        let outcome = RETRIED[usize::try_from(self.below(3)).unwrap()];
        let (now, succeeds) = (self.now, self.below(3) == 0);
        let process = &mut self.processes[place];
        let succeeded = if succeeds { process.held.pop() } else { None };
        if let Some((held, is_local)) = succeeded {
            process.member.note(BudgetEvent::OperationSucceeded { held }, is_local, now);
        }
        process.member.note(BudgetEvent::OperationBegan, false, now);
        process.member.note(BudgetEvent::AttemptFailed, false, now);
        self.counts.operations += 1;
        let request = self.number;
        if self.ask(place, outcome) {
            // A process makes one request at a time.
            self.processes[place].waiting.push_back((request, outcome, now));
            let timeout = self.processes[place].member.timeout_ns();
            self.after(timeout, place, Event::Late(request));
        } else {
            self.think(place);
        }
        self.exchange(place, false);
    }

    fn think(&mut self, place: usize) {
        let pause = self.below(2 * self.plan.think);
        self.after(pause, place, Event::Operate);
    }

    /// Requests a retry. Returns whether it waits.
    fn ask(&mut self, place: usize, outcome: Outcome) -> bool {
        let now = self.now;
        let process = &mut self.processes[place];
        match process.member.request(outcome, now) {
            MemberAnswer::Waits => return true,
            MemberAnswer::Refused => {}
            MemberAnswer::Granted { held, is_local } => {
                process.held.push((held, is_local));
                let count =
                    if is_local { &mut self.counts.local } else { &mut self.counts.granted };
                *count += 1;
            }
        }
        false
    }

    /// Begins an exchange if one is due, or later.
    fn exchange(&mut self, place: usize, is_flush: bool) {
        let now = self.now;
        let member = &mut self.processes[place].member;
        match member.due_in(now) {
            Some(0) => {}
            Some(pause) if !is_flush => return self.after(pause, place, Event::Wake),
            None if !is_flush => return,
            _ => {}
        }
        member.begin(now);
        self.counts.exchanges += 1;
        self.load(place);
    }

    /// Calls the store, and gives the call up after a time.
    fn call(&mut self, place: usize, is_swap: bool, message: impl Fn(u64) -> Event) {
        self.counts.calls += 1;
        self.processes[place].call += 1;
        let call = self.processes[place].call;
        self.send(place, || message(call));
        self.after(S / 2, place, Event::GiveUp(call, is_swap));
    }

    fn load(&mut self, place: usize) {
        self.call(place, false, Event::Load);
    }

    /// The store does one thing at a time.
    fn serve(&mut self, place: usize, event: Event) {
        if self.busy_until > self.now {
            let wait = self.busy_until - self.now;
            return self.after(wait, place, event);
        }
        self.busy_until = self.now + 20 * US;
        match event {
            Event::Load(call) => {
                let clock = self.clock + self.now;
                let text = self.text.clone();
                self.send(place, || Event::Loaded(call, text.clone(), clock));
            }
            Event::Swap(call, before, after, sent) => {
                let is_swapped = self.text == before;
                if is_swapped {
                    self.text = Some(after);
                    self.counts.stored.add(sent);
                }
                self.send(place, || Event::Swapped(call, is_swapped));
            }
            _ => unreachable!("only calls arrive at the store"),
        }
    }

    fn loaded(&mut self, place: usize, text: Option<&str>, clock: u64) {
        let stepped = self.processes[place].member.step(text.map(str::as_bytes), clock);
        let mut sent = Sent::default();
        for step in self.processes[place].member.steps() {
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
                self.processes[place].call += 1;
                self.counts.stored.add(sent);
                self.stored(place);
            }
            SteppedState::Changed(after) => {
                let after = after.to_string();
                self.call(place, true, |call| {
                    Event::Swap(call, text.map(str::to_owned), after.clone(), sent)
                });
            }
        }
    }

    fn swapped(&mut self, place: usize, is_swapped: bool) {
        self.processes[place].call += 1;
        if is_swapped {
            return self.stored(place);
        }
        let now = self.now;
        match self.processes[place].member.lost(now) {
            None => self.fail(place, false),
            Some(wait) => {
                let call = self.processes[place].call;
                self.after(wait, place, Event::LoadAgain(call));
            }
        }
    }

    fn stored(&mut self, place: usize) {
        let now = self.now;
        let process = &mut self.processes[place];
        let answers = process.member.stored(now);
        let mut left = RETRIED.map(|outcome| {
            (outcome, answers.granted(outcome), answers.refused(outcome), answers.held(outcome))
        });
        let mut answered = 0;
        let counts = &mut self.counts;
        let held = &mut process.held;
        process.waiting.retain(|&(_, outcome, since)| {
            let Some((_, granted, refused, holds)) = left.iter_mut().find(|row| row.0 == outcome)
            else {
                return true;
            };
            if *granted > 0 {
                *granted -= 1;
                held.push((*holds, false));
                counts.granted += 1;
            } else if *refused > 0 {
                *refused -= 1;
            } else {
                return true;
            }
            counts.waits.push(now - since);
            answered += 1;
            false
        });
        for _ in 0..answered {
            self.think(place);
        }
        if self.processes[place].member.is_away(now) {
            self.ask_again(place);
        }
        self.exchange(place, false);
    }

    fn fail(&mut self, place: usize, may_be_stored: bool) {
        let now = self.now;
        let process = &mut self.processes[place];
        process.call += 1;
        process.member.failed(may_be_stored, now);
        self.ask_again(place);
        self.exchange(place, false);
    }

    /// The store is away: the local budget decides on what waits.
    fn ask_again(&mut self, place: usize) {
        for (number, outcome, since) in std::mem::take(&mut self.processes[place].waiting) {
            if self.ask(place, outcome) {
                self.processes[place].waiting.push_back((number, outcome, since));
            } else {
                self.think(place);
            }
        }
    }
}

/// The store never grants more than one budget in one process would, whatever goes wrong.
#[test]
fn the_grants_stay_within_the_closed_form() {
    type Limit = fn(&Counts) -> u64;
    let budgets: [(&str, Limit); 3] = [
        ("rate:max_tokens=20,per=1s", |counts| 20 + counts.forward * 20 / S),
        ("ratio:max_tokens=20,ratio=0.1", |counts| 20 + counts.stored.began / 10),
        ("quota:max_tokens=20,cost=1", |counts| 20 + counts.stored.given_back),
    ];
    let mut steps = 0;
    for seed in 0..SEEDS {
        for (budget, limit) in budgets {
            for lease in [1, 8] {
                let plan = Plan {
                    budget,
                    processes: 16,
                    lease,
                    fallback: Fallback::Share,
                    think: 50 * MS,
                    duration: 10 * S,
                    outage: [0; 2],
                    faults: FAULTS,
                };
                let counts = Fleet::new(plan, seed).run();
                let case = format!("{budget}, lease {lease}, seed {seed}");
                let (granted, stored) = (counts.granted, counts.stored.granted);
                assert!(stored <= limit(&counts), "{case}: {stored} of {}", limit(&counts));
                assert!(granted <= stored, "{case}: {granted} of {stored}");
                assert!(stored > 0 && counts.local > 0, "{case}: nothing happens");
                steps += counts.steps;
            }
        }
    }
    assert!(steps > 1_000_000, "{steps} steps");
}

/// A healthy store decides on every request, also if many processes ask at once.
#[test]
fn a_healthy_store_decides_on_every_request() {
    // All together ask 2000 times a second, and 64 of them 6400 times.
    for (processes, think) in [(8, 4), (64, 10), (256, 128), (1000, 500)] {
        for lease in [1, 8] {
            let plan = Plan {
                // It grants all, so each request changes it.
                budget: "rate:max_tokens=1000,per=100ms",
                processes,
                lease,
                fallback: Fallback::Share,
                think: think * MS,
                duration: 10 * S,
                outage: [0; 2],
                faults: NO_FAULTS,
            };
            let mut counts = Fleet::new(plan, 42).run();
            let case = format!("{processes} processes, lease {lease}");
            counts.waits.sort_unstable();
            let p99 = counts.waits[counts.waits.len() * 99 / 100];
            assert_eq!(counts.local, 0, "{case}");
            assert_eq!(counts.stored.began, counts.operations, "{case}: events are lost");
            assert!(counts.calls <= 3 * counts.exchanges, "{case}: {} calls", counts.calls);
            assert!(p99 < 50 * MS, "{case}: {p99} ns");
        }
    }
}

/// While the store is away, all processes together grant about as much as one.
#[test]
fn a_fleet_without_its_store_grants_one_budget() {
    // Each process alone wants more than the budget of 8 retries a second.
    let grants = |fallback, processes| {
        let plan = Plan {
            budget: "rate:max_tokens=8,per=1s",
            processes,
            lease: 1,
            fallback,
            think: 20 * MS,
            duration: 16 * S,
            outage: [5 * S, 15 * S],
            faults: NO_FAULTS,
        };
        Fleet::new(plan, 42).run().local
    };
    // 10 s, and the second after each failure.
    let whole = 8 + 8 * 11;
    let one = grants(Fallback::Share, 1);
    assert!((whole - 16..=whole).contains(&one), "{one}");
    for processes in [2, 16, 64] {
        let together = grants(Fallback::Share, processes);
        let told = grants(Fallback::ShareOf(processes as u64), processes);
        // Whose turn it is at the end is left to chance.
        let uneven = processes as u64 / 2;
        for sum in [together, told] {
            assert!(sum <= whole + uneven && sum + uneven >= whole - 16, "{processes}: {sum}");
        }
    }
    assert!(grants(Fallback::Whole, 16) >= 16 * (whole - 16));
    assert_eq!(grants(Fallback::Refuse, 16), 0);
}
