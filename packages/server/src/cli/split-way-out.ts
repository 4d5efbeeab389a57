/** Settings and stored secrets report a problem in one text, whose last sentence is the suggested fix. */
export function splitWayOut(problem: string): { message: string; wayOut: string | undefined } {
  const end = problem.lastIndexOf('. ') + 1;
  return end > 0
    ? { message: problem.slice(0, end), wayOut: problem.slice(end + 1) }
    : { message: problem, wayOut: undefined };
}
