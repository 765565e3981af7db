//! The clients of a run, their groups, and what they ask of the core.

use std::hint::black_box;

use backoff_core::{Budget, Decision, Operation, Outcome, RandomStream};

use crate::client::{Client, Group};
use crate::events::Event;

/// All clients of a run, each in a numbered place.
pub(crate) struct Clients<'a> {
    seed: u64,
    /// The groups of the load. A model may measure more.
    load_groups: &'a [Group],
    groups: &'a [Group],
    /// Of each group and process.
    budgets: Vec<Vec<Budget>>,
    places: Vec<Client>,
    /// The places of clients that have left, by group: a call of the server that outlives its client
    /// stays with the group.
    free: Vec<Vec<u32>>,
    /// The number of clients that the load has brought.
    arrived: u64,
}

impl<'a> Clients<'a> {
    /// No clients yet, and place for a number of them.
    pub(crate) fn new(
        load_groups: &'a [Group],
        groups: &'a [Group],
        expected: usize,
        seed: u64,
    ) -> Self {
        let budgets = |group: &Group| -> Vec<Budget> {
            let budget = || group.budget.as_ref().and_then(|text| Budget::parse(text).ok());
            (0..group.processes).map_while(|_| budget()).collect()
        };
        Self {
            seed,
            load_groups,
            groups,
            budgets: groups.iter().map(budgets).collect(),
            places: Vec::with_capacity(expected),
            free: vec![Vec::new(); groups.len()],
            arrived: 0,
        }
    }

    /// The number of places: of the most clients that there were at a time.
    pub(crate) fn places(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn get(&self, client: u32) -> &Client {
        &self.places[client as usize]
    }

    pub(crate) fn get_mut(&mut self, client: u32) -> &mut Client {
        &mut self.places[client as usize]
    }

    #[inline]
    pub(crate) fn group_of(&self, client: u32) -> u16 {
        // Ten million clients do not fit into a cache.
        if self.groups.len() == 1 { 0 } else { self.get(client).group() }
    }

    /// Whether a client works for another, in a group that the load does not have.
    pub(crate) fn is_inner(&self, client: u32) -> bool {
        usize::from(self.group_of(client)) >= self.load_groups.len()
    }

    /// Loads the clients of events, all at once: memory answers many questions in the time of a few.
    pub(crate) fn fetch(&self, events: &[u128], needs_client: fn(u8) -> bool) {
        const FEW: usize = 1 << 13; // they are in a cache
        if self.places.len() > FEW {
            let events = events.iter().map(|&number| Event::from_number(number));
            let events = events.filter(|event| needs_client(event.kind()));
            let places = events.filter_map(|event| self.places.get(event.client as usize));
            black_box(places.fold(0, |all, client| all ^ client.ends()));
        }
    }

    /// Adds the next client of the load.
    pub(crate) fn add_next(&mut self, operations: u32, is_measured: bool) -> u32 {
        let number = self.arrived;
        self.arrived += 1;
        let stream = RandomStream::nth(self.seed, number);
        let (group, number_in_group) = self.turn(number);
        let process = self.process(group, number_in_group);
        let mut client = Client::new(stream, group, process, is_measured);
        client.operations_left = operations;
        self.add(client)
    }

    pub(crate) fn add(&mut self, mut client: Client) -> u32 {
        if let Some(place) = self.free[usize::from(client.group())].pop() {
            client.attempt = self.get(place).attempt;
            *self.get_mut(place) = client;
            return place;
        }
        self.places.push(client);
        #[expect(clippy::cast_possible_truncation, reason = "a run with more clients is cut")]
        let place = (self.places.len() - 1) as u32;
        place
    }

    /// A client leaves its place to another.
    pub(crate) fn remove(&mut self, client: u32) {
        let group = usize::from(self.group_of(client));
        self.free[group].push(client);
    }

    /// Begins an operation of a client. Returns its group.
    pub(crate) fn begin(&mut self, client: u32, now_ns: u64) -> u16 {
        let place = &mut self.places[client as usize];
        let group = usize::from(place.group());
        let budget = self.budgets[group].get(usize::from(place.process));
        let policy = self.groups[group].policy;
        let stream = place.next_stream();
        place.store(&Operation::begin(policy, stream, now_ns, None, budget));
        place.group()
    }

    pub(crate) fn decide(
        &mut self,
        client: u32,
        outcome: Outcome,
        retry_after_ns: Option<u64>,
        now_ns: u64,
    ) -> Decision {
        let place = &mut self.places[client as usize];
        let group = usize::from(place.group());
        let budget = self.budgets[group].get(usize::from(place.process));
        let mut operation = place.operation(&self.groups[group]);
        let decision = operation.decide(outcome, retry_after_ns, now_ns, budget);
        place.store(&operation);
        decision
    }

    /// The process of a client of a group: processes take turns.
    pub(crate) fn process(&self, group: u16, number: u64) -> u16 {
        let processes = u64::from(self.groups[usize::from(group)].processes.max(1));
        #[expect(clippy::cast_possible_truncation, reason = "there are at most 65,535 processes")]
        let process = (number % processes) as u16;
        process
    }

    /// The group of a client of the load and its number in it: groups take turns, each as often as
    /// its weight.
    fn turn(&self, number: u64) -> (u16, u64) {
        let weights = || self.load_groups.iter().map(|group| u64::from(group.weight));
        let all = weights().sum::<u64>().max(1);
        let (round, mut turn) = (number / all, number % all);
        for (group, weight) in (0..).zip(weights()) {
            if turn < weight {
                return (group, round * weight + turn);
            }
            turn -= weight;
        }
        (0, number)
    }
}
