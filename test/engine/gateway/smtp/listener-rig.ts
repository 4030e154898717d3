import { personaSchema } from '../../../../engine/config/persona-schema.ts';
import { gatewaySchema } from '../../../../engine/config/schemas.ts';
import type { PersonaEntry } from '../../../../engine/config/types.ts';
import { type ListenerBounds, startSmtpListener } from '../../../../engine/gateway/smtp/listener.ts';
import type { IncomingMail, MailResult, Received } from '../../../../engine/intake/incoming.ts';
import { type Clock, systemClock } from '../../../../engine/lib/clock.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';

export const SECRET = 'a-secret-of-the-test';
export const LOGIN = { user: 'epistle', password: SECRET };

export const result = (fields: Partial<MailResult> & Pick<MailResult, 'decision'>): MailResult => ({
  recipient: null,
  persona: null,
  code: null,
  tier: null,
  threadId: null,
  runId: null,
  ...fields,
});
export const received = (...results: MailResult[]): Received => ({ messageId: '<m@x.test>', results });

interface Options {
  readonly listener?: object;
  readonly limits?: object;
  readonly bounds?: Partial<ListenerBounds>;
  readonly clock?: Clock;
  /** What `receive` answers; it may throw. */
  readonly answer?: (incoming: IncomingMail) => Promise<Received> | Received;
}

/** The real listener on a free port; what comes through it is kept. Ada and Ben are ready, Eve is in error. */
export async function listenerRig(options: Options = {}) {
  const got: IncomingMail[] = [];
  const logged: string[] = [];
  const warned: { fields: object; message: string }[] = [];
  const log = {
    ...silentLog,
    warn: (fields: object, message: string) => void warned.push({ fields, message }),
    error: (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`),
  };
  const listener = await startSmtpListener({
    config: gatewaySchema.parse({ smtp_listener: { port: 0, ...options.listener }, limits: { ...options.limits } }),
    submissionSecret: SECRET,
    async receive(incoming) {
      // Its memory is the listener's to reuse afterwards.
      got.push({ ...incoming, raw: Buffer.from(incoming.raw) });
      return (await options.answer?.(incoming)) ?? received(result({ decision: 'accepted' }));
    },
    findByAddress: (address) => ENTRIES.get(address.toLowerCase().replace(/\+[^@]*/, '')),
    clock: options.clock ?? systemClock(),
    log,
    ...(options.bounds ? { bounds: options.bounds } : {}),
  });
  return { port: listener.port, got, logged, warned, heldBytes: listener.heldBytes, close: listener.close };
}

const ready = (id: string): PersonaEntry => {
  const file = personaSchema.parse({ name: id, address: `${id}@agents.localhost` });
  return { state: 'ready', id, persona: { ...file, id, owners: [] } };
};

const ENTRIES = new Map<string, PersonaEntry>([
  ['ada@agents.localhost', ready('ada')],
  ['ben@agents.localhost', ready('ben')],
  ['eve@agents.localhost', { state: 'error', id: 'eve', addresses: ['eve@agents.localhost'], problems: [] }],
]);

export const bodiesOf = (got: readonly IncomingMail[]): string[] =>
  got.map(({ raw }) => Buffer.from(raw).toString('latin1'));
