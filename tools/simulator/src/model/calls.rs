//! Calls over a network by clients that give up: what models share.

use backoff_core::Outcome;

use crate::events::Event;
use crate::model::line::Line;
use crate::model::outage::Rejection;
use crate::random::distribution::Distribution;
use crate::random::probability::Probability;
use crate::world::{FIRST_KIND, NOBODY, World};

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
    pub(crate) fn is_awaited(self, world: &World<'_>) -> bool {
        world.client(self.client).attempt & Event::MAX_PAYLOAD == self.serial
    }
}

/// A call and when its client gives up.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    until_ns: u64,
    call: Call,
}

/// The calls of a run.
#[derive(Debug)]
pub(crate) struct Calls {
    pub(crate) timeout_ns: Option<u64>,
    pub(crate) network: Distribution,
    /// How likely an answer is a failure.
    pub(crate) failure: Probability,
    pub(crate) rejection: Rejection,
    pub(crate) retry_after: Option<Distribution>,
    /// All clients wait for the same time, so that they give up in the order in which they began.
    waiting: Line<Waiting>,
    /// The number of calls above which those that have ended are forgotten.
    most_waiting: usize,
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
            waiting: Line::new(),
            most_waiting: 0,
            has_timeout: false,
        }
    }

    /// A client begins an attempt. Returns the call if it reaches the server at once.
    pub(crate) fn begin(&mut self, world: &mut World<'_>, client: u32) -> Option<Call> {
        let attempt = &mut world.client_mut(client).attempt;
        *attempt = attempt.wrapping_add(1);
        let call = Call { client, serial: *attempt & Event::MAX_PAYLOAD };
        if let Some(timeout_ns) = self.timeout_ns {
            self.forget_ended(world);
            let until_ns = world.now_ns.saturating_add(timeout_ns);
            self.waiting.push_back(Waiting { until_ns, call });
            if !self.has_timeout {
                self.has_timeout = true;
                world.schedule(timeout_ns, NOBODY, TIMEOUT, 0);
            }
        }
        self.send(world, call, REQUEST).then_some(call)
    }

    /// The server has served a call.
    pub(crate) fn answer(&mut self, world: &mut World<'_>, call: Call) {
        if call.is_awaited(world) && self.send(world, call, ANSWER) {
            self.end_answered(world, call);
        }
    }

    /// The server rejects a call.
    pub(crate) fn reject(&mut self, world: &mut World<'_>, call: Call) {
        if call.is_awaited(world) && self.send(world, call, REJECTION) {
            self.end_rejected(world, call);
        }
    }

    /// Receives an event that is not the model's own. Returns the call if one reaches the server.
    pub(crate) fn receive(&mut self, world: &mut World<'_>, event: Event) -> Option<Call> {
        let call = Call::of(event);
        match event.kind() {
            REQUEST => return Some(call),
            TIMEOUT => self.give_up(world),
            ANSWER if call.is_awaited(world) => self.end_answered(world, call),
            REJECTION if call.is_awaited(world) => self.end_rejected(world, call),
            // The client has given up.
            _ => {}
        }
        None
    }

    /// Sends a message. Returns whether it is there at once.
    fn send(&mut self, world: &mut World<'_>, call: Call, kind: u8) -> bool {
        let is_there = self.network == Distribution::Constant(0);
        if !is_there {
            world.schedule_random(&self.network, call.client, kind, call.serial);
        }
        is_there
    }

    fn end_answered(&self, world: &mut World<'_>, call: Call) {
        // Without failures there is no draw, which would change all later ones.
        let fails = !self.failure.is_zero() && world.draws.chance(self.failure.millionths());
        let outcome = if fails { Outcome::Transient } else { Outcome::Success };
        Self::end(world, call, outcome, None);
    }

    fn end_rejected(&mut self, world: &mut World<'_>, call: Call) {
        let outcome = match self.rejection {
            Rejection::Throttled => Outcome::Throttled,
            Rejection::Transient => Outcome::Transient,
        };
        let retry_after_ns = self.retry_after.map(|time| time.sample(&mut world.draws));
        Self::end(world, call, outcome, retry_after_ns);
    }

    fn end(world: &mut World<'_>, call: Call, outcome: Outcome, retry_after_ns: Option<u64>) {
        // No call has this number until the client begins its next attempt.
        let attempt = &mut world.client_mut(call.client).attempt;
        *attempt = attempt.wrapping_add(1);
        world.end_attempt(call.client, outcome, retry_after_ns);
    }

    fn give_up(&mut self, world: &mut World<'_>) {
        self.has_timeout = false;
        while let Some(&Waiting { until_ns, call }) = self.waiting.front() {
            let is_awaited = call.is_awaited(world);
            if is_awaited && until_ns > world.now_ns {
                self.has_timeout = true;
                world.schedule(until_ns - world.now_ns, NOBODY, TIMEOUT, 0);
                return;
            }
            self.waiting.pop_front();
            if is_awaited {
                Self::end(world, call, Outcome::Timeout, None);
            }
        }
    }

    /// Forgets calls that have ended, rather than to hold all that there were within the timeout.
    /// There is at most one call of each client that has not.
    fn forget_ended(&mut self, world: &World<'_>) {
        if self.waiting.len() >= self.most_waiting.max(world.expected_clients()) {
            self.waiting.retain(|waiting| waiting.call.is_awaited(world));
            // A check of each call for every fourth of them: ten million take a while.
            self.most_waiting = self.waiting.len() + self.waiting.len() / 4 + 16;
        }
    }
}
