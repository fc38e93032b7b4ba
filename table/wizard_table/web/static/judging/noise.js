// Noise: the judge tries every action in sampled worlds, so what it finds has a standard error.
const ERRORS = 2; // standard errors up to which a difference may be noise
const LEAST = 0.05; // points; less is printed as nothing

// Whether a difference in points is more than noise explains.
export const isClear = (points, error) => points >= LEAST && points > ERRORS * error;
