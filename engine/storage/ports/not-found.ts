import { EngineError } from '#contract';

// What somebody hears who names a row that is not there.

export const noThread = (id: string): EngineError =>
  new EngineError('not_found', `no thread has the id ${id}; see \`epistle threads list\``);

export const noRule = (id: string): EngineError =>
  new EngineError('not_found', `there is no rule ${id}; see \`epistle rules list --all\``);
