import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { connectWire, stuffed, type Wire } from '../../../../test/fakes/smtp-wire.ts';
import { type Random, seededRandom } from '../random.ts';
import { KINDS, type Kind, LARGE, SILENT } from './kinds.ts';

/** A thread full of strangers: whoever measures what others notice of them must not be busy himself. */

interface Orders {
  readonly port: number;
  readonly seed: number;
  readonly untilMs: number;
}

const { port, seed, untilMs }: Orders = workerData;
const replies: Record<string, Record<string, number>> = {};
const state = { number: 0 };
const isOver = () => Date.now() >= untilMs;

const count = (kind: string, reply: string): void => {
  const counts = replies[kind] ?? {};
  counts[reply] = (counts[reply] ?? 0) + 1;
  replies[kind] = counts;
};

/** One connection after the other from an address of its own, each for a few mails, as fast as they are answered. */
async function keepSending(address: string, kinds: Readonly<Record<string, Kind>>, random: Random): Promise<void> {
  const names = Object.keys(kinds) as [string, ...string[]];
  while (!isOver()) {
    try {
      const wire = await connectWire(port, { from: address });
      await wire.hello();
      for (let n = 0; n < 20 && !isOver(); n += 1) await sendOne(wire, random.pick(names), kinds, random);
      wire.close();
    } catch {
      count('connection', 'lost');
      await sleep(50);
    }
  }
}

async function sendOne(wire: Wire, name: string, kinds: Readonly<Record<string, Kind>>, random: Random): Promise<void> {
  state.number += 1;
  const mail = kinds[name]?.(random, state.number);
  if (!mail) return;
  const refused = (await wire.envelope(mail.mailFrom, [mail.to])).find(({ code }) => code >= 400);
  const go = refused ?? (await wire.say('DATA'));
  if (go.code !== 354) {
    count(name, String(go.code));
    await wire.say('RSET');
    return;
  }
  wire.write(stuffed(mail.raw));
  count(name, String((await wire.reply()).code));
}

/** Guesses the secret, and addresses that nobody has. */
async function keepGuessing(address: string, random: Random): Promise<void> {
  while (!isOver()) {
    try {
      const wire = await connectWire(port, { from: address });
      await wire.hello();
      for (let n = 0; n < 30 && !isOver(); n += 1) {
        const guess = Buffer.from(`\0epistle\0${random.next()}`).toString('base64');
        count('guess', String((await wire.say(`AUTH PLAIN ${guess}`)).code));
        await wire.say('MAIL FROM:<mallory@evil.test>');
        count('unknown-recipient', String((await wire.say(`RCPT TO:<a${n}@agents.localhost>`)).code));
        await wire.say('RSET');
      }
      wire.close();
    } catch {
      count('guess', 'hung up');
      await sleep(50);
    }
  }
}

/** Begins a mail and never ends it. */
async function keepHolding(address: string): Promise<void> {
  while (!isOver()) {
    try {
      const wire = await connectWire(port, { from: address });
      await wire.hello();
      await wire.envelope('mallory@evil.test', ['ada@agents.localhost']);
      if ((await wire.say('DATA')).code === 354) wire.write('a'.repeat(15e6));
      count('held', 'begun');
      while (!isOver() && !wire.socket.destroyed) {
        await sleep(2000);
        wire.write('a\r\n');
      }
      wire.close();
    } catch {
      count('held', 'lost');
    }
    await sleep(500);
  }
}

const random = (n: number): Random => seededRandom(seed * 1000 + n);
await Promise.all([
  ...[1, 2, 3, 4, 5].map((n) => keepSending(`127.0.1.${n}`, KINDS, random(n))),
  ...[6, 7].map((n) => keepSending(`127.0.1.${n}`, SILENT, random(n))),
  keepSending('127.0.1.8', LARGE, random(8)),
  keepGuessing('127.0.1.9', random(9)),
  ...Array.from({ length: 12 }, (_, n) => keepHolding(`127.0.1.${10 + (n % 2)}`)),
]);
parentPort?.postMessage(replies);
