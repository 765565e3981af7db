//! The generator compared with other implementations and with published numbers.

use std::path::Path;
use std::process::Command;

use backoff_core::RandomStream;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const SEEDS: [u64; 7] = [0, 1, 42, 1 << 63, u64::MAX, 0x9E3779B97F4A7C15, 1477776061723855037];

#[test]
fn draws_equal_those_of_rand_xoshiro() {
    for seed in SEEDS {
        let mut theirs = SplitMix64::seed_from_u64(seed);
        for index in 0..1000 {
            let draw = RandomStream::from_seed(seed).draw(index);
            assert_eq!(draw, theirs.next_u64(), "{seed} {index}");
        }
    }
}

/// Java's own generator if there is a JDK, and in any case the recorded output of OpenJDK 17.
#[test]
fn draws_equal_those_of_java() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/oracles");
    let recorded = std::fs::read_to_string(folder.join("splittable_random.txt")).unwrap();
    check_java(&recorded);

    let program = folder.join("SplittableRandomOracle.java");
    match Command::new("java").arg(program).args(SEEDS.map(|seed| seed.to_string())).output() {
        Ok(java) => {
            assert!(java.status.success(), "{}", String::from_utf8_lossy(&java.stderr));
            check_java(&String::from_utf8(java.stdout).unwrap());
        }
        Err(_) => println!("no JDK: compared with the recorded draws of OpenJDK 17 only"),
    }
}

fn check_java(printed: &str) {
    let lines: Vec<Vec<u64>> = printed
        .lines()
        .map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect())
        .collect();
    assert_eq!(lines.iter().map(|line| line[0]).collect::<Vec<_>>(), SEEDS);
    for line in lines {
        let (seed, draws) = line.split_first().unwrap();
        assert_eq!(draws.len(), 4);
        for (index, draw) in (0..).zip(draws) {
            assert_eq!(RandomStream::from_seed(*seed).draw(index), *draw, "{seed} {index}");
        }
    }
}

#[test]
fn streams_from_entropy_differ() {
    let streams = [(); 8].map(|()| RandomStream::from_entropy().unwrap().state());
    let distinct = std::collections::BTreeSet::from(streams);
    assert_eq!(distinct.len(), streams.len());
}
