//! The formats: names of engines that retry by a configuration of their own.

use std::fmt;
use std::str::FromStr;

/// An engine that retries by a configuration of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A service config of gRPC, in JSON.
    Grpc,
    /// A `retry_policy` and `circuit_breakers` of Envoy, in JSON.
    Envoy,
    /// `retries` of an Istio `VirtualService` and `trafficPolicy` of a `DestinationRule`, in JSON.
    Istio,
    /// A `RetryPolicy` of Temporal, in the JSON of its API.
    Temporal,
    /// `Retry` of a state of AWS Step Functions.
    StepFunctions,
    /// `spec` of a Kubernetes Job, in JSON.
    K8sJob,
    /// Directives of nginx.
    Nginx,
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Self] = &[
        Self::Grpc,
        Self::Envoy,
        Self::Istio,
        Self::Temporal,
        Self::StepFunctions,
        Self::K8sJob,
        Self::Nginx,
    ];

    /// The name of the format, such as `grpc` or `step-functions`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Grpc => "grpc",
            Self::Envoy => "envoy",
            Self::Istio => "istio",
            Self::Temporal => "temporal",
            Self::StepFunctions => "step-functions",
            Self::K8sJob => "k8s-job",
            Self::Nginx => "nginx",
        }
    }

    /// The engine as sentences name it, such as `gRPC` or `a Kubernetes Job`.
    #[must_use]
    pub const fn engine(self) -> &'static str {
        match self {
            Self::Grpc => "gRPC",
            Self::Envoy => "Envoy",
            Self::Istio => "Istio",
            Self::Temporal => "Temporal",
            Self::StepFunctions => "Step Functions",
            Self::K8sJob => "a Kubernetes Job",
            Self::Nginx => "nginx",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let format = Self::ALL.iter().find(|format| format.name() == name);
        format.copied().ok_or_else(|| UnknownFormat(name.chars().take(32).collect()))
    }
}

/// A name that is not the name of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFormat(String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
        let names = names.join(", ");
        write!(f, "unknown format {:?}; the formats are {names}", self.0)
    }
}

impl std::error::Error for UnknownFormat {}
