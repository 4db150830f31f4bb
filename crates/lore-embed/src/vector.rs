//! Vector normalization, shared by all embedders.

/// Scales a vector to unit length. The zero vector stays as it is.
pub fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    if length > 0.0 {
        for number in vector {
            *number = (f64::from(*number) / length) as f32;
        }
    }
}
