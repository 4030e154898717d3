/** What a model is told of words that stood beside an answer to a question: what became of that answer. */
export const BESIDE_A_DECISION =
  'These words stood beside an answer to what you had asked the sender about: the yes or the no to that is carried out without you.';
export const BESIDE_WHAT_WAITS =
  'These words stood in an answer to what you had asked the sender about that was neither a clear yes nor a clear no: nothing of it is done, and it still waits. Where they want it otherwise or not at all, they want that very call changed or withdrawn.';
export const BESIDE_WHAT_IS_CLOSED = 'These words stood in an answer to a question of yours that is closed.';
