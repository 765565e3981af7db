//! Calls over a network by clients that give up: what models share.

use backoff_core::Outcome;

use crate::events::Event;
use crate::model::fifo::Fifo;
use crate::model::outage::Rejection;
use crate::random::distribution::Distribution;
use crate::random::probability::Probability;
use crate::sim::{FIRST_KIND, NOBODY, Simulation};

/// A call reaches the server.
const REQUEST: u8 = FIRST_KIND;
/// The time of the call that is the longest under way may be up.
const TIMEOUT: u8 = FIRST_KIND + 1;
/// A client receives an answer or a rejection.
const ANSWER: u8 = FIRST_KIND + 2;
const REJECTION: u8 = FIRST_KIND + 3;

/// The first kind of event that belongs to a model with calls.
pub(crate) const FIRST_SERVER_KIND: u8 = FIRST_KIND + 4;

/// An attempt of a client, as its server knows it.
///
/// The server may hold it longer than the client waits, and even longer than the client exists.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    pub(crate) client: u32,
    pub(crate) serial: u32,
}

impl Call {
    /// The call whose serial number is the payload of an event.
    pub(crate) const fn of(event: Event) -> Self {
        Self { client: event.client, serial: event.payload() }
    }

    /// Whether the client waits for the answer.
    pub(crate) fn is_awaited(self, sim: &Simulation<'_>) -> bool {
        sim.client(self.client).attempt & Event::MAX_PAYLOAD == self.serial
    }
}

/// A call and when its client gives up.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    until_ns: u64,
    call: Call,
}

#[derive(Debug)]
pub(crate) struct Calls {
    pub(crate) timeout_ns: Option<u64>,
    pub(crate) network: Distribution,
    /// How likely an answer is a failure.
    pub(crate) failure: Probability,
    pub(crate) rejection: Rejection,
    pub(crate) retry_after: Option<Distribution>,
    /// All clients wait for the same time, so that they give up in the order in which they began.
    waiting: Fifo<Waiting>,
    /// The number of calls above which those that have ended are forgotten.
    max_waiting: usize,
    /// Whether there is an event `TIMEOUT`. One is enough.
    has_timeout: bool,
}

impl Calls {
    pub(crate) fn new(
        timeout_ns: Option<u64>,
        network: Distribution,
        failure: Probability,
        rejection: Rejection,
        retry_after: Option<Distribution>,
    ) -> Self {
        Self {
            timeout_ns,
            network,
            failure,
            rejection,
            retry_after,
            waiting: Fifo::new(),
            max_waiting: 0,
            has_timeout: false,
        }
    }

    /// A client begins an attempt. Returns the call if it reaches the server at once.
    pub(crate) fn begin(&mut self, sim: &mut Simulation<'_>, client: u32) -> Option<Call> {
        let attempt = &mut sim.client_mut(client).attempt;
        *attempt = attempt.wrapping_add(1);
        let call = Call { client, serial: *attempt & Event::MAX_PAYLOAD };
        if let Some(timeout_ns) = self.timeout_ns {
            self.forget_ended(sim);
            let until_ns = sim.now_ns.saturating_add(timeout_ns);
            self.waiting.push_back(Waiting { until_ns, call });
            if !self.has_timeout {
                self.has_timeout = true;
                sim.schedule(timeout_ns, NOBODY, TIMEOUT, 0);
            }
        }
        self.send(sim, call, REQUEST).then_some(call)
    }

    pub(crate) fn answer(&mut self, sim: &mut Simulation<'_>, call: Call) {
        if call.is_awaited(sim) && self.send(sim, call, ANSWER) {
            self.end_answered(sim, call);
        }
    }

    pub(crate) fn reject(&mut self, sim: &mut Simulation<'_>, call: Call) {
        if call.is_awaited(sim) && self.send(sim, call, REJECTION) {
            self.end_rejected(sim, call);
        }
    }

    /// Receives an event that is not the model's own. Returns the call if one reaches the server.
    pub(crate) fn receive(&mut self, sim: &mut Simulation<'_>, event: Event) -> Option<Call> {
        let call = Call::of(event);
        match event.kind() {
            REQUEST => return Some(call),
            TIMEOUT => self.give_up(sim),
            ANSWER if call.is_awaited(sim) => self.end_answered(sim, call),
            REJECTION if call.is_awaited(sim) => self.end_rejected(sim, call),
            // The client has given up.
            _ => {}
        }
        None
    }

    /// Sends a message. Returns whether it is there at once.
    fn send(&mut self, sim: &mut Simulation<'_>, call: Call, kind: u8) -> bool {
        let is_there = self.network == Distribution::Constant(0);
        if !is_there {
            sim.schedule_random(&self.network, call.client, kind, call.serial);
        }
        is_there
    }

    fn end_answered(&self, sim: &mut Simulation<'_>, call: Call) {
        // Without failures there is no draw, which would change all later ones.
        let fails = !self.failure.is_zero() && sim.draws.chance(self.failure.millionths());
        let outcome = if fails { Outcome::Transient } else { Outcome::Success };
        Self::end(sim, call, outcome, None);
    }

    fn end_rejected(&mut self, sim: &mut Simulation<'_>, call: Call) {
        let outcome = match self.rejection {
            Rejection::Throttled => Outcome::Throttled,
            Rejection::Transient => Outcome::Transient,
        };
        let retry_after_ns = self.retry_after.map(|time| time.sample(&mut sim.draws));
        Self::end(sim, call, outcome, retry_after_ns);
    }

    fn end(sim: &mut Simulation<'_>, call: Call, outcome: Outcome, retry_after_ns: Option<u64>) {
        // No call has this number until the client begins its next attempt.
        let attempt = &mut sim.client_mut(call.client).attempt;
        *attempt = attempt.wrapping_add(1);
        sim.end_attempt(call.client, outcome, retry_after_ns);
    }

    fn give_up(&mut self, sim: &mut Simulation<'_>) {
        self.has_timeout = false;
        while let Some(&Waiting { until_ns, call }) = self.waiting.front() {
            let is_awaited = call.is_awaited(sim);
            if is_awaited && until_ns > sim.now_ns {
                self.has_timeout = true;
                sim.schedule(until_ns - sim.now_ns, NOBODY, TIMEOUT, 0);
                return;
            }
            self.waiting.pop_front();
            if is_awaited {
                Self::end(sim, call, Outcome::Timeout, None);
            }
        }
    }

    /// Forgets calls that have ended, rather than to hold all that there were within the timeout.
    /// There is at most one call of each client that has not.
    fn forget_ended(&mut self, sim: &Simulation<'_>) {
        if self.waiting.len() >= self.max_waiting.max(sim.expected_clients()) {
            self.waiting.retain(|waiting| waiting.call.is_awaited(sim));
            // A check of each call for every fourth of them: ten million take a while.
            self.max_waiting = self.waiting.len() + self.waiting.len() / 4 + 16;
        }
    }
}
