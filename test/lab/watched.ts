import { EventEmitter, once } from 'node:events';
import type { MailboxConfig } from '../../engine/config/types.ts';
import type { MailboxCursor, MailboxDeps, MailboxStatus, MailSource } from '../../engine/gateway/imap/types.ts';
import { createMailboxWatcher } from '../../engine/gateway/imap/watcher.ts';
import { systemClock } from '../../engine/lib/clock.ts';
import { silentLog } from '../../engine/lib/log/log.ts';
import { withSecret } from '../fakes/secret.ts';

export interface Received {
  readonly raw: string;
  readonly messageId: string;
  readonly source: MailSource;
  readonly at: number;
}

type Imap = NonNullable<MailboxConfig['imap']>;

/** A watcher on one lab user, with everything that it handed on; `until` waits for a fact instead of a time. */
export function watch(options: {
  port: number;
  user: string;
  password?: string;
  imap?: Partial<Imap>;
  cursor?: { now: MailboxCursor | null };
  /** What `receive` answers; default: settled. */
  answer?(mail: Received): Promise<'settled' | 'untouched' | 'later'> | 'settled' | 'untouched' | 'later';
  deps?: Partial<MailboxDeps>;
}) {
  const events = new EventEmitter();
  const received: Received[] = [];
  const heads: { head: string; source: MailSource; bytes: number }[] = [];
  const gone: { uid: number; uidValidity: string }[] = [];
  const states: MailboxStatus[] = [];
  const cursor = options.cursor ?? { now: null };
  const changed = () => events.emit('changed');

  const watcher = createMailboxWatcher({
    mailbox: {
      id: 'main',
      save_sent: true,
      imap: {
        host: '127.0.0.1',
        port: options.port,
        tls: 'none',
        user: options.user,
        auth: 'password',
        secret_env: 'SECRET',
        tls_ca_file: null,
        allow_plaintext: false,
        folder: 'INBOX',
        processed: 'none',
        authserv_id: null,
        first_connect: 'all',
        ...options.imap,
      },
    },
    login: withSecret(() => options.password ?? 'secret'),
    maxMessageBytes: 1_000_000,
    async receive(raw, source) {
      const text = Buffer.from(raw).toString('latin1');
      const mail = { raw: text, messageId: /^message-id:\s*(\S+)/im.exec(text)?.[1] ?? '', source, at: Date.now() };
      const answer = (await options.answer?.(mail)) ?? 'settled';
      received.push(mail);
      changed();
      return answer;
    },
    async oversized(head, source, bytes) {
      heads.push({ head: Buffer.from(head).toString('latin1'), source, bytes });
      changed();
      return 'settled';
    },
    suspects: async () => [],
    justBefore: async () => {},
    withheld: async () => {},
    leaveAlone: async () => {},
    hold: async () => {},
    askAboutHeld: async () => {},
    isKnown: async () => false,
    renumbered: async () => {},
    async gone(source) {
      gone.push(source);
      changed();
    },
    cursor: {
      load: async () => cursor.now,
      async save(next) {
        cursor.now = next;
        changed();
      },
    },
    clock: systemClock(),
    log: silentLog,
    random: () => 0,
    onState(status) {
      states.push(status);
      changed();
    },
    ...options.deps,
    tuning: { firstRetryMs: 50, maxRetryMs: 200, reconcileMs: 20_000, ...options.deps?.tuning },
  });

  return {
    ...watcher,
    received,
    heads,
    gone,
    states,
    cursor,
    ids: () => received.map((mail) => mail.messageId),
    /** Resolves once the condition holds; looked at after each thing that happens. */
    async until(condition: () => boolean): Promise<void> {
      while (!condition()) await once(events, 'changed');
    },
  };
}

export const mail = (id: string, body = 'Hello\r\n') =>
  `Message-ID: <${id}@example.com>\r\nFrom: you@example.com\r\nTo: agents@lab.test\r\nSubject: ${id}\r\n\r\n${body}`;
