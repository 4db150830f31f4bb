//! What every provider does with a vector before it gives it away.

/// Makes a vector one long. All zeros have no direction and stay as they are.
pub fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    if length > 0.0 {
        for number in vector {
            *number = (f64::from(*number) / length) as f32;
        }
    }
}
