//! The layers that the ziggurat method divides the bell of the normal distribution into.

use std::sync::LazyLock;

/// The number of layers.
pub(crate) const LAYERS: usize = 256;

/// Where the lowest layer ends and the tail begins.
pub(crate) const TAIL: f64 = 3.654152885361009;

/// The area of each layer, of which the lowest includes the tail.
const AREA: f64 = 0.004928673233974655;

/// The height of the bell, which is 1 in the middle.
pub(crate) fn height(x: f64) -> f64 {
    libm::exp(-0.5 * x * x)
}

/// The layers of the upper half of the bell, the lowest first.
#[derive(Debug)]
pub(crate) struct Ziggurat {
    /// Where the layers end, then the middle.
    pub(crate) ends: [f64; LAYERS + 1],
    /// The height of the bell there.
    pub(crate) heights: [f64; LAYERS + 1],
}

static LAYERS_OF_THE_BELL: LazyLock<Ziggurat> = LazyLock::new(|| {
    let mut ends = [0.0; LAYERS + 1];
    // The lowest layer is as wide as if the tail were a part of its rectangle.
    ends[0] = AREA / height(TAIL);
    ends[1] = TAIL;
    for layer in 1..LAYERS - 1 {
        let top = height(ends[layer]) + AREA / ends[layer];
        ends[layer + 1] = (-2.0 * libm::log(top)).sqrt();
    }
    Ziggurat { ends, heights: ends.map(height) }
});

impl Ziggurat {
    pub(crate) fn get() -> &'static Self {
        &LAYERS_OF_THE_BELL
    }
}

#[cfg(test)]
mod tests {
    use super::{AREA, LAYERS, TAIL, Ziggurat, height};

    /// The area of the tail is that of Python's `math.erfc(TAIL / 2**0.5) * (math.pi / 2)**0.5`.
    #[test]
    fn layers_have_the_same_area() {
        const TAIL_AREA: f64 = 0.00032339576466332173;
        let Ziggurat { ends, heights } = Ziggurat::get();
        assert!((TAIL * height(TAIL) + TAIL_AREA - AREA).abs() < 1e-15);
        for layer in 1..LAYERS {
            let area = ends[layer] * (heights[layer + 1] - heights[layer]);
            assert!((area - AREA).abs() < 1e-14, "{layer}: {area}");
        }
    }
}
