import { mailboxToSendBy } from '../../config/mailboxes/sending-mailbox.ts';
import type { Overview } from '../../storage/types/overview.ts';
import type { QueryPorts } from '../ports.ts';

/** How mail leaves through a mailbox, as far as the mail that waits tells. */
export interface SendingState {
  /**
   * `retrying`: a server has put off mail that waits now; `needs_login`: nothing is tried before somebody has logged in
   * at the provider. Null where the mailbox does not send.
   */
  readonly state: 'ready' | 'retrying' | 'needs_login' | null;
  /** What the server said last of such a mail. */
  readonly error: string | null;
  /** Mails that were tried and wait for another try. */
  readonly waiting: number;
  /** The most tries that one of them has had. */
  readonly attempts: number;
}

/** By mailbox. */
export function sendingStates(
  ports: QueryPorts,
  all: ReadonlyMap<string, Overview>,
): ReadonlyMap<string, SendingState> {
  const { mailboxes } = ports.live.current().gateway;
  const waiting: Tried[] = [];
  for (const entry of ports.live.personas().all()) {
    const rows = all.get(entry.id)?.waiting ?? [];
    if (entry.state !== 'ready' || rows.length === 0) continue;
    const mailbox = mailboxToSendBy(mailboxes, entry.persona);
    if (mailbox === null) continue;
    waiting.push(...rows.map(({ attempts, last_error }) => ({ mailbox, attempts, error: last_error })));
  }
  return new Map(
    mailboxes.map((mailbox) => {
      const { id, smtp } = mailbox;
      const wrong = smtp?.auth === 'oauth' ? ports.logins.state(mailbox)?.wrong : null;
      const sending = smtp ? sendingOf(id, waiting) : NOT_SENDING;
      return [id, wrong ? heldOf(sending, id, { waiting, why: wrong.fault }) : sending];
    }),
  );
}

interface Tried {
  readonly mailbox: string;
  readonly attempts: number;
  readonly error: string | null;
}

const NOT_SENDING: SendingState = { state: null, error: null, waiting: 0, attempts: 0 };

/** Pure. `waiting`: newest first. */
export function sendingOf(id: string, waiting: readonly Tried[]): SendingState {
  const tried = waiting.filter(({ mailbox, attempts }) => mailbox === id && attempts > 0);
  const error = tried.find((one) => one.error !== null)?.error ?? null;
  const attempts = Math.max(0, ...tried.map((one) => one.attempts));
  return { state: tried.length === 0 ? 'ready' : 'retrying', error, waiting: tried.length, attempts };
}

/** Pure. All that waits, tried or not, waits for the login. */
const heldOf = (
  { attempts }: SendingState,
  id: string,
  {
    waiting,
    why,
  }: { readonly waiting: readonly Tried[]; readonly why: { readonly cause: string; readonly cure: string } },
): SendingState => ({
  state: 'needs_login',
  error: `${why.cause}; ${why.cure}`,
  attempts,
  waiting: waiting.filter(({ mailbox }) => mailbox === id).length,
});
