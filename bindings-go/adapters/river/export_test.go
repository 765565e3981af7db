package backoffriver

// Delays returns how many delays are kept for River.
func Delays(r *Retries) int {
	count := 0
	r.delays.Range(func(any, any) bool { count++; return true })
	return count
}
