//! One run: the clock, the clients and what they ask of the core, and the events to come.

pub(crate) mod event_loop;
pub(crate) mod server;

use std::ops::Range;

use backoff_core::{Decision, Outcome, RandomStream};

use crate::client::{Client, Group};
use crate::clients::Clients;
use crate::events::{Event, Events};
use crate::load::Load;
use crate::measure::recorder::Recorder;
use crate::measure::recovery::Recovery;
use crate::random::distribution::Distribution;
use crate::random::draws::Draws;

/// The client number of events that belong to no client.
pub(crate) const NOBODY: u32 = u32::MAX;

/// A new operation arrives, or the next one of a client.
const ARRIVE: u8 = 0;
const BEGIN: u8 = 1;
/// A client's wait is over.
const ATTEMPT: u8 = 2;
/// The first kind of event that belongs to the model.
pub(crate) const FIRST_KIND: u8 = 3;

/// What an attempt led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// The client waits this long, and attempts again.
    Wait(u64),
    /// The operation is over; true for success.
    End(bool),
}

/// What all runs of an experiment have in common.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) load: Load,
    /// When the operations that are measured begin, if not all are.
    pub(crate) measured: &'a Option<Range<u64>>,
    /// Until when operations can arrive by themselves.
    pub(crate) arrivals_end_ns: u64,
    pub(crate) load_groups: &'a [Group],
    /// The groups that are measured. A model may add some to those of the load.
    pub(crate) groups: &'a [Group],
    pub(crate) max_time_ns: u64,
    pub(crate) max_events: u64,
}

/// The state of a run that all models share.
pub(crate) struct Simulation<'a> {
    pub(crate) now_ns: u64,
    pub(crate) draws: Draws,
    pub(crate) recorder: &'a mut Recorder,
    setting: Setting<'a>,
    clients: Clients<'a>,
    /// Measured operations that have not ended, with those that clients have yet to begin.
    unfinished: u64,
    seed: u64,
    events: Events,
    cut: bool,
}

impl<'a> Simulation<'a> {
    /// The run of a seed. Client `n` has the stream of number `n` under that seed (SPEC 3.4); all
    /// that is random around the clients is drawn from the key `world`.
    pub(crate) fn new(setting: Setting<'a>, seed: u64, recorder: &'a mut Recorder) -> Self {
        let clients = setting.load.clients();
        Self {
            now_ns: 0,
            draws: Draws::new(RandomStream::from_key(seed, "world")),
            recorder,
            setting,
            clients: Clients::new(setting.load_groups, setting.groups, clients, seed),
            unfinished: 0,
            seed,
            events: Events::with_capacity(clients),
            cut: false,
        }
    }

    /// The number of groups of the load. A model may measure more.
    pub(crate) fn load_groups(&self) -> usize {
        self.setting.load_groups.len()
    }

    /// The number of clients that there is place for from the start.
    pub(crate) fn expected_clients(&self) -> usize {
        self.setting.load.clients()
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// Until when measured operations arrive by themselves, if they do.
    fn measured_until(&self) -> Option<u64> {
        self.setting.measured.as_ref().map(|measured| measured.end)
    }

    /// Measures how the service recovers from an outage that ends at this time.
    pub(crate) fn watch_recovery(&mut self, outage_end_ns: u64) {
        self.recorder.recovery = Some(Recovery::new(outage_end_ns, self.measured_until()));
    }

    /// Adds an event of a kind of the model.
    #[inline]
    pub(crate) fn schedule(&mut self, delay_ns: u64, client: u32, kind: u8, payload: u32) {
        let time_ns = self.now_ns.saturating_add(delay_ns);
        self.events.push(Event::new(time_ns, client, kind, payload));
    }

    #[inline]
    pub(crate) fn schedule_random(
        &mut self,
        delay: &Distribution,
        client: u32,
        kind: u8,
        payload: u32,
    ) {
        let delay_ns = delay.sample(&mut self.draws);
        self.schedule(delay_ns, client, kind, payload);
    }

    pub(crate) fn client(&self, client: u32) -> &Client {
        self.clients.get(client)
    }

    pub(crate) fn client_mut(&mut self, client: u32) -> &mut Client {
        self.clients.get_mut(client)
    }

    /// Counts a call that the server receives.
    #[inline]
    pub(crate) fn count_call(&mut self, client: u32) {
        let is_measured = self.setting.measured.is_none() || self.client(client).is_measured();
        self.recorder.call(self.clients.group_of(client), self.now_ns, is_measured);
    }

    /// A client learns how its attempt ended, and does what the core decides.
    pub(crate) fn end_attempt(
        &mut self,
        client: u32,
        outcome: Outcome,
        retry_after_ns: Option<u64>,
    ) -> Next {
        let next = self.decide(client, outcome, retry_after_ns);
        if let Next::Wait(delay_ns) = next {
            self.schedule(delay_ns, client, ATTEMPT, 0);
        }
        next
    }

    /// A client learns how its attempt ended, and asks the core what to do. If it is to wait, the
    /// caller schedules what follows.
    pub(crate) fn decide(
        &mut self,
        client: u32,
        outcome: Outcome,
        retry_after_ns: Option<u64>,
    ) -> Next {
        let decision = self.clients.decide(client, outcome, retry_after_ns, self.now_ns);
        let place = self.clients.get(client);
        let (group, began_ns, is_measured) = (place.group(), place.began_ns, place.is_measured());
        self.recorder.attempt_ended(group, self.now_ns, outcome == Outcome::Success);
        match decision {
            Decision::Wait { delay_ns } => {
                let rest_ns = self.setting.max_time_ns.saturating_sub(self.now_ns);
                if is_measured {
                    self.recorder.waits(group, delay_ns.min(rest_ns));
                }
                Next::Wait(delay_ns)
            }
            decision => {
                // A decision that is no wait has a reason.
                if is_measured && let Some(reason) = decision.stop_reason() {
                    self.recorder.operation_ended(group, reason, began_ns, self.now_ns);
                }
                self.unfinished -= u64::from(is_measured);
                self.leave_or_think(client);
                Next::End(outcome == Outcome::Success)
            }
        }
    }

    fn begin(&mut self, client: u32) {
        let group = self.clients.begin(client, self.now_ns);
        if self.client(client).is_measured() {
            self.recorder.operation_began(group);
        }
    }

    /// Begins an operation that serves an operation of a client. Its place is free when it ends.
    /// The processes take turns.
    pub(crate) fn begin_inner(
        &mut self,
        stream: RandomStream,
        group: u16,
        number: u64,
        is_measured: bool,
    ) -> u32 {
        self.unfinished += u64::from(is_measured);
        let process = self.clients.process(group, number);
        let client = self.clients.add(Client::new(stream, group, process, is_measured));
        self.begin(client);
        client
    }

    fn leave_or_think(&mut self, client: u32) {
        match self.setting.load {
            _ if self.clients.is_inner(client) => self.clients.remove(client),
            Load::Closed { think, .. } if self.client(client).operations_left > 0 => {
                self.schedule_random(&think, client, BEGIN, 0);
            }
            Load::Closed { .. } => {}
            Load::Open { .. } => self.clients.remove(client),
        }
    }
}
