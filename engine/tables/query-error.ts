/** A question that cannot be answered as it was asked; the message says what to ask instead, for a model. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
}
