import type { AuthProvider } from '@modelcontextprotocol/client';
import { EngineError } from '#contract';
import type { Fault } from '../../faults/fault.ts';
import type { Login, Taken } from '../../login/login.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * There is no token to come with. The message is for models as well, so it holds nothing of what the provider said; `fault`
 * is for owners.
 */
export class NoLogin extends EngineError {
  readonly fault: Fault | null;
  constructor(fault: Fault | null, message: string) {
    super('tool_failed', message);
    this.fault = fault;
  }
}

/** What a connection over HTTP comes with. */
interface Bearer {
  readonly authProvider: AuthProvider;
  /** Remembers which token an answer was to: several calls are under way while one of them renews it. */
  fetch(inner: Fetch): Fetch;
}

export function bearerOf(login: Login): Bearer {
  const sent = new WeakMap<Response, string>();
  const last = { secret: '' };
  return {
    authProvider: {
      async token() {
        last.secret = secretIn(await login.take());
        return last.secret;
      },
      async onUnauthorized({ response }) {
        if (await login.refused(sent.get(response) ?? last.secret)) return;
        secretIn(await login.take());
        throw new NoLogin(null, 'it refuses a login that was renewed a moment ago');
      },
    },
    fetch: (inner) => async (url, init) => {
      const response = await inner(url, init);
      const written = new Headers(init?.headers).get('authorization') ?? '';
      if (written.startsWith(SCHEME)) sent.set(response, written.slice(SCHEME.length));
      return response;
    },
  };
}

const SCHEME = 'Bearer ';

function secretIn(taken: Taken): string {
  if (taken.ok) return taken.secret;
  const { fault, until } = taken;
  if (until === 'time') throw new NoLogin(fault, 'its login cannot be renewed now');
  throw new NoLogin(fault, fault.code === 'login_needed' ? 'nobody has logged in to it' : 'its login has ended');
}
