//! The charts of a report.

use backoff_sim::{Experiment, Load, Summary};

use super::measure::{Measure, Value};
use crate::duration::humanize;
use crate::plot::{Chart, Line, Marks, Point, grouped};

pub(crate) struct Measured {
    pub(crate) experiment: Experiment,
    pub(crate) summary: Summary,
}

impl Measured {
    pub(crate) fn value(&self, measure: Measure) -> Option<Value> {
        if measure == Measure::Peak { self.peak() } else { measure.value(&self.summary) }
    }

    pub(crate) fn cell(&self, measure: Measure) -> String {
        if measure != Measure::Peak {
            return measure.cell(&self.summary);
        }
        self.peak().map_or("-".to_owned(), |peak| measure.text(peak.value))
    }

    #[expect(clippy::cast_precision_loss, reason = "for people")]
    fn peak(&self) -> Option<Value> {
        let seconds = self.experiment.interval_ns? as f64 / 1e9;
        let outage = self.experiment.model.outage();
        let from_ms = outage.map_or(0.0, |outage| outage.until_ns as f64 / 1e6);
        let loads = self.summary.load.iter().filter(|load| load.from_ms >= from_ms);
        let most = loads.map(|load| load.calls).max_by(f64::total_cmp)?;
        Some(Value { value: most / seconds, error: None })
    }
}

/// What differs between the points of a line.
pub(crate) fn x_of(measured: &Measured) -> f64 {
    match measured.experiment.load {
        Load::Closed { clients, .. } => clients.into(),
        Load::Open { .. } => measured.summary.rate.unwrap_or_default(),
    }
}

pub(crate) fn x_name(measured: &Measured) -> &'static str {
    match measured.experiment.load {
        Load::Closed { .. } => "clients",
        Load::Open { .. } => "arrivals per second",
    }
}

pub(crate) fn x_column(measured: &Measured) -> &'static str {
    match measured.experiment.load {
        Load::Closed { .. } => "clients",
        Load::Open { .. } => "arrivals/s",
    }
}

/// The points in lines: the points of a line follow each other and have the same clients.
pub(crate) fn lines_of(points: &[Measured]) -> Vec<&[Measured]> {
    points
        .chunk_by(|a, b| {
            let (a_groups, b_groups) = (&a.experiment.groups, &b.experiment.groups);
            let is_same = |(a, b): (&backoff_sim::Group, &backoff_sim::Group)| {
                a.name == b.name && a.policy == b.policy && a.budget == b.budget
            };
            a_groups.iter().zip(b_groups).all(is_same) && x_of(a) < x_of(b)
        })
        .collect()
}

pub(crate) fn chart(measure: Measure, points: &[Measured]) -> Chart {
    let title = format!("{}{}", measure.title(), measure.unit());
    match (points.first(), measure) {
        (Some(first), Measure::Load) => {
            let has_loads = points.iter().any(|point| x_of(point).total_cmp(&x_of(first)).is_ne());
            let lines = points.iter().map(|point| load_line(point, has_loads)).collect();
            let (subtitle, marks) = (subtitle(first), marks(&first.experiment));
            Chart { title, subtitle, x: "seconds", lines, marks, ..Chart::default() }
        }
        (Some(first), _) => {
            let lines = lines_of(points).into_iter().map(|line| measure_line(measure, line));
            let (lines, x, marks) = (lines.collect(), x_name(first), Marks::default());
            let notes = if measure == Measure::Recovery { not_recovered(points) } else { vec![] };
            let mut chart = Chart { title, subtitle: subtitle(first), notes, x, lines, marks };
            if chart.is_bars() {
                // The values have their units.
                measure.title().clone_into(&mut chart.title);
                chart.subtitle = format!("{}, {} {x}", chart.subtitle, grouped(x_of(first)));
            }
            chart
        }
        (None, _) => Chart { title, ..Chart::default() },
    }
}

#[expect(clippy::cast_precision_loss, reason = "a chart")]
fn marks(experiment: &Experiment) -> Marks {
    let seconds = |ns: u64| ns as f64 / 1e9;
    let outage = experiment.model.outage();
    let outage = outage.map(|outage| (seconds(outage.from_ns), seconds(outage.until_ns)));
    Marks { outage, capacity: experiment.model.capacity() }
}

fn not_recovered(points: &[Measured]) -> Vec<String> {
    const MAX: usize = 8;
    let note = |point: &Measured| {
        let Summary { name, recovered, runs, .. } = &point.summary;
        let at = format!("{} {}", grouped(x_of(point)), x_name(point));
        let mark = if *recovered == 0 { " (\u{d7})" } else { "" };
        (recovered < runs)
            .then(|| format!("{name} at {at}: {recovered} of {runs} runs recovered{mark}"))
    };
    let mut notes: Vec<_> = points.iter().filter_map(note).collect();
    if notes.len() > MAX {
        let rest = notes.split_off(MAX - 1).len();
        notes.push(format!("... and {rest} more; the mean is that of the runs that recovered"));
    }
    notes
}

fn subtitle(measured: &Measured) -> String {
    let Summary { model, runs, seed, .. } = &measured.summary;
    let runs = if *runs == 1 { "one run".to_owned() } else { format!("mean of {runs} runs") };
    format!("model {model}, {runs}, seed {seed}")
}

fn measure_line(measure: Measure, points: &[Measured]) -> Line {
    let point = |measured: &Measured| {
        let value = measured.value(measure)?;
        // Two standard errors: the mean is there with a probability of 95%.
        let whisker = value.error.unwrap_or_default() * 2.0;
        let text = measured.cell(measure);
        Some(Point { x: x_of(measured), y: value.value, whisker, text })
    };
    let name = points.first().map(|point| point.summary.name.clone()).unwrap_or_default();
    let never = |measured: &&Measured| {
        measure == Measure::Recovery && measured.summary.recovery_ms.is_none()
    };
    let beyond = points.iter().filter(never).map(x_of).collect();
    Line { name, points: points.iter().filter_map(point).collect(), beyond }
}

/// The load of a point over time. Its name has the number of clients, or the rate, if there are
/// several.
#[expect(clippy::cast_precision_loss, reason = "a chart")]
fn load_line(measured: &Measured, has_loads: bool) -> Line {
    let seconds = measured.experiment.interval_ns.unwrap_or(1) as f64 / 1e9;
    let point = |load: &backoff_sim::LoadSummary| Point {
        x: load.from_ms / 1e3 + seconds / 2.0,
        y: load.calls / seconds,
        whisker: 0.0,
        text: String::new(),
    };
    let points = measured.summary.load.iter().map(point).collect();
    let name = &measured.summary.name;
    let x = grouped(x_of(measured));
    let name = match measured.experiment.load {
        _ if !has_loads => name.clone(),
        Load::Open { .. } => format!("{name}, {x}/s"),
        Load::Closed { .. } => format!("{name}, {x} clients"),
    };
    Line { name, points, beyond: Vec::new() }
}

pub(crate) fn headline(points: &[Measured]) -> String {
    let Some(first) = points.first() else { return String::new() };
    let text = subtitle(first);
    match first.experiment.load {
        Load::Open { duration_ns, .. } => {
            format!("{text}, arrivals for {}", humanize(duration_ns))
        }
        Load::Closed { .. } => text,
    }
}
