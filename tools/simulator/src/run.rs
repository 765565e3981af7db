//! Runs on all cores.

use backoff_core::RandomStream;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::measure::recorder::Recorder;
use crate::measure::totals::Totals;
use crate::shard::Shard;
use crate::sim::{Setting, Simulation};

impl Experiment {
    /// Runs the runs of a shard on all threads of rayon's current pool. `progress` is called after
    /// each run.
    ///
    /// The totals do not depend on the number of threads, and those of all shards add up to those
    /// of the whole.
    ///
    /// # Errors
    /// Those of [`Experiment::validate`].
    pub fn run(
        &self,
        shard: Shard,
        progress: &(dyn Fn() + Sync),
    ) -> Result<Totals, ExperimentError> {
        self.validate()?;
        let groups = self.model.groups(&self.groups);
        let measured = self.load.measured(self.model.outage());
        let setting = Setting {
            load: self.load,
            measured: &measured,
            arrivals_end_ns: self.load.arrivals_end_ns(&self.groups),
            load_groups: &self.groups,
            groups: &groups,
            max_time_ns: self.max_time_ns,
            max_events: self.max_events,
        };
        let recorder = || {
            let load_end_ns = measured.as_ref().map(|measured| measured.end);
            Recorder::new(groups.len(), self.groups.len(), self.interval_ns, load_end_ns)
        };
        let totals = shard
            .runs(self.runs)
            .into_par_iter()
            .fold(recorder, |mut recorder, run| {
                let seed = RandomStream::nth(self.seed, run.into()).state();
                self.model.run(Simulation::new(setting, seed, &mut recorder));
                progress();
                recorder
            })
            .map(|recorder| recorder.totals)
            .reduce(
                || Totals::new(groups.len()),
                |mut totals, more| {
                    totals.merge(&more);
                    totals
                },
            );
        Ok(totals)
    }
}
