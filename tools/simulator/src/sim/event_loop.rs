//! The course of a run: the events, one after another.

use crate::limits::MAX_CLIENTS;
use crate::load::Load;
use crate::sim::server::Server;
use crate::sim::{ARRIVE, ATTEMPT, BEGIN, NOBODY, Simulation};

impl Simulation<'_> {
    /// Runs until nothing more happens, or until the time is up.
    pub(crate) fn run<S: Server>(mut self, server: &mut S) {
        server.start(&mut self);
        match self.setting.load {
            Load::Closed { clients, operations, start, .. } => {
                self.unfinished = u64::from(clients) * u64::from(operations);
                for _ in 0..clients {
                    if self.is_crowded() {
                        break;
                    }
                    let client = self.clients.add_next(operations, true);
                    match start.sample(&mut self.draws) {
                        // Without an event: there can be ten million such clients.
                        0 => self.begin_next(server, client),
                        start_ns => self.schedule(start_ns, client, BEGIN, 0),
                    }
                }
            }
            Load::Open { .. } => self.schedule_arrival(),
        }
        let max_time_ns = self.setting.max_time_ns;
        let mut events = 0_u64;
        while let Some(event) = self.events.pop(|soon| self.clients.fetch(soon, S::needs_client)) {
            let is_after_load = self.measured_until().is_some_and(|end_ns| event.time_ns >= end_ns);
            if is_after_load && self.unfinished == 0 {
                break;
            }
            events += 1;
            let is_over = event.time_ns > max_time_ns || events > self.setting.max_events;
            if is_over || self.is_crowded() {
                self.now_ns = event.time_ns.min(max_time_ns);
                // What is left may be of no concern to any client.
                let is_in_load = self.measured_until().is_some_and(|end_ns| self.now_ns < end_ns);
                self.cut = is_in_load || self.unfinished > 0;
                break;
            }
            self.now_ns = event.time_ns;
            match event.kind() {
                ARRIVE => self.arrive(server),
                BEGIN => self.begin_next(server, event.client),
                ATTEMPT => server.attempt(&mut self, event.client),
                _ => server.receive(&mut self, event),
            }
        }
        server.end(&mut self);
        let cut_at_ns = self.cut.then_some(self.now_ns);
        self.recorder.end_run(cut_at_ns);
    }

    /// Whether there are too many clients, of all layers.
    fn is_crowded(&self) -> bool {
        self.clients.places() > MAX_CLIENTS as usize
    }

    fn schedule_arrival(&mut self) {
        if let Load::Open { interval, .. } = self.setting.load {
            let delay_ns = interval.sample(&mut self.draws);
            let arrives_ns = self.now_ns.saturating_add(delay_ns);
            if arrives_ns < self.setting.arrivals_end_ns {
                self.unfinished += u64::from(self.is_measured(arrives_ns));
                self.schedule(delay_ns, NOBODY, ARRIVE, 0);
            }
        }
    }

    /// Whether an operation that arrives at a time counts in the results.
    fn is_measured(&self, arrives_ns: u64) -> bool {
        self.setting.measured.as_ref().is_none_or(|measured| measured.contains(&arrives_ns))
    }

    fn arrive(&mut self, server: &mut impl Server) {
        self.schedule_arrival();
        let client = self.clients.add_next(1, self.is_measured(self.now_ns));
        self.begin_next(server, client);
    }

    fn begin_next(&mut self, server: &mut impl Server, client: u32) {
        self.clients.get_mut(client).operations_left -= 1;
        self.begin(client);
        server.attempt(self, client);
    }
}
