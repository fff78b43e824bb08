/** What the evaluator throws for a query that has no answer. */
export class Refusal extends Error {}
