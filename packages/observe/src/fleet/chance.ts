/** How likely it is that things come together by chance. */

/** ln n! by Stirling's series; exact for small n. */
function lnFactorial(n: number): number {
  if (n < 20) {
    let sum = 0;
    for (let i = 2; i <= n; i++) sum += Math.log(i);
    return sum;
  }
  return n * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI * n) + 1 / (12 * n);
}
const lnChoose = (n: number, k: number): number => lnFactorial(n) - lnFactorial(k) - lnFactorial(n - k);

/**
 * The probability, at most, that of `n` moments at random in `span` some `k` are within `width`: the scan statistic,
 * by the expected number of such groups.
 */
export function chanceOfWindow(n: number, k: number, width: number, span: number): number {
  if (k < 2 || span <= 0) return 1;
  const share = Math.min(1, width / span);
  return Math.min(1, Math.exp(lnChoose(n, k) + Math.log(k) + (k - 1) * Math.log(share)));
}

/** The probability that of `n` tries, each of which succeeds with probability `p`, at least `k` succeed. */
export function chanceOfAtLeast(n: number, k: number, p: number): number {
  if (k <= 0 || p >= 1) return 1;
  if (p <= 0) return 0;
  let sum = 0;
  for (let i = k; i <= n; i++) sum += Math.exp(lnChoose(n, i) + i * Math.log(p) + (n - i) * Math.log(1 - p));
  return Math.min(1, sum);
}
