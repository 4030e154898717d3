import { type Fault, fault } from '../faults/fault.ts';

/** What a connection logs in with now, or why there is nothing to log in with. */
export type Taken =
  | { readonly ok: true; readonly secret: string }
  /** `person`: until somebody changes something; `time`: it may pass by itself. */
  | { readonly ok: false; readonly fault: Fault; readonly until: 'person' | 'time' };

/** The login of one side of a mailbox: a password, or an access token that is renewed. */
export interface Login {
  /** Asked before each connection. An access token near its end is renewed first. Never throws. */
  take(): Promise<Taken>;
  /** A server refused this secret. True: there is another one by now, so one more try is worth it. Never throws. */
  refused(secret: string): Promise<boolean>;
  /** Another one once somebody has changed what is logged in with: by an edit of `.env`, or a login. Asks nobody. */
  mark(): string;
}

/** A secret that somebody put into the environment; `none` needs nothing. */
export function passwordLogin(
  { auth, secret_env }: { readonly auth: string; readonly secret_env: string },
  secretOf: (name: string) => string | undefined,
): Login {
  return {
    async take() {
      const secret = auth === 'none' ? '' : secretOf(secret_env);
      if (secret !== undefined) return { ok: true, secret };
      const cause = `the environment variable ${secret_env} is not set`;
      const cure = `put ${secret_env}=… into .env or the environment`;
      return { ok: false, fault: fault('secret_missing', cause, cure), until: 'person' };
    },
    refused: async () => false,
    mark: () => secretOf(secret_env) ?? '',
  };
}

/** So many access tokens are tried for one connection. */
export const MOST_TOKENS = 4;
export const EACH_ENDED = 'each access token ended before it could be used';
