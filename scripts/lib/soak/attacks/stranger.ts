import { setTimeout as sleep } from 'node:timers/promises';
import { connectWire, stuffed } from '../../../../test/fakes/smtp-wire.ts';

export interface StrangerMail {
  readonly port: number;
  /** Another loopback address is another stranger. */
  readonly from: string;
  readonly mailFrom: string;
  readonly to: readonly string[];
  readonly raw: Buffer;
}

/** What a server heard that has nothing to prove: the reply that ended it, or why there was none. */
export async function deliver(mail: StrangerMail, withinMs: number): Promise<string> {
  const late = new AbortController();
  // Dots are doubled before anything is timed.
  const bytes = stuffed(mail.raw);
  try {
    const wire = await connectWire(mail.port, { from: mail.from });
    const said = converse(wire, mail, bytes).catch((error: unknown) =>
      error instanceof Error ? error.message : 'failed',
    );
    const end = sleep(withinMs, 'late', { signal: late.signal }).catch(() => 'late');
    const reply = await Promise.race([said, end]);
    wire.close();
    return reply;
  } catch (error) {
    return error instanceof Error ? error.message : 'failed';
  } finally {
    late.abort();
  }
}

async function converse(
  wire: Awaited<ReturnType<typeof connectWire>>,
  mail: StrangerMail,
  bytes: Buffer,
): Promise<string> {
  await wire.hello();
  const refused = (await wire.envelope(mail.mailFrom, mail.to)).find(({ code }) => code >= 400);
  if (refused) return refused.text;
  const go = await wire.say('DATA');
  if (go.code !== 354) return go.text;
  wire.write(bytes);
  return (await wire.reply()).text;
}
