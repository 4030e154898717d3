import { EngineError } from '#contract';
import { certificateFault, fieldOf, innermostCode } from '#contract/http';
import { NoList } from './listing.ts';

const SAID: Readonly<Record<string, string>> = {
  REQUEST_TIMEOUT: 'it did not answer in time',
  CONNECTION_CLOSED: 'it ended',
  NOT_CONNECTED: 'it is not connected',
  INVALID_RESULT: 'its answer could not be read',
  ENOENT: 'its command does not exist',
  // Also of one that is nowhere, where PATH has a folder that this account may not look into.
  EACCES: 'its command may not be run, or a folder of PATH may not be searched for it',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection broke',
  ENOTFOUND: 'its host does not exist',
  MOVED_ELSEWHERE: 'it sends to another address; put that one into url',
};

/**
 * Why a server is of no use, for a model and for owners. Never in the server's own words: they would stand in the
 * prompt where the gateway speaks.
 */
export function inOwnWords(error: unknown): string {
  if (error instanceof EngineError) return error.message;
  if (error instanceof TooManyTools)
    return `it lists ${error.count} tools, more than ${error.most}; name some in tools.allow`;
  if (error instanceof Ended) return 'it ended';
  if (error instanceof NoList) return 'what it answers is no list of tools';
  // Of the client's error for HTTP 403 with `insufficient_scope`; what it says beside that is the server's own.
  if (error instanceof Error && Object.hasOwn(error, 'requiredScope'))
    return 'its login has too few permissions for that; an owner can add one to oauth.scopes and log in anew';
  const status = numberIn(error, 'status');
  if (status !== null && status >= 300 && status < 400)
    return `it sends to another address (HTTP ${status}); put that one into url`;
  if (status !== null) return `it answered with HTTP ${status}`;
  const code = numberIn(error, 'code');
  if (code !== null) return `it answered with the error ${code}`;
  const doubt = certificateFault(innermostCode(error), '`ca_file` of this server in extensions/extensions.json');
  if (doubt) return `${doubt.cause}; ${doubt.cure}`;
  for (const one of [error, fieldOf(error, 'cause')]) {
    const said = SAID[String(fieldOf(one, 'code'))];
    if (said !== undefined) return said;
  }
  return 'it does not keep to the protocol';
}

/** It ended by itself. */
export class Ended extends Error {}

export class TooManyTools extends Error {
  readonly count: number;
  readonly most: number;
  constructor(count: number, most: number) {
    super(`${count} tools are more than ${most}`);
    this.count = count;
    this.most = most;
  }
}

export function numberIn(error: unknown, name: string): number | null {
  const value = fieldOf(error, name);
  return typeof value === 'number' ? value : null;
}
