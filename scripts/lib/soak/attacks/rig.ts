import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NODE_FLAGS } from '../../../../engine/service/systemd.ts';
import { startDnsServer } from '../../../../test/fakes/dns-server.ts';
import { connectWire } from '../../../../test/fakes/smtp-wire.ts';
import { launchGateway, type Program } from '../../../../test/flow/gateway.ts';
import { makeWorkspace } from '../../../../test/flow/workspace.ts';
import { rssMbOf } from '../../../benchmark/process-figures.ts';
import { createKeys, type Manner } from '../forgeries/dkim.ts';
import { bytesOf, type Mail } from '../forgeries/mail.ts';
import { LOOP_GUARD_OFF } from '../loop-guard-off.ts';
import { submit } from '../submit.ts';
import { openAnswers } from './answers.ts';
import { type Standstill, standstillOver, startControl, watched } from './standstill.ts';

export const ADA = 'ada@agents.localhost';
/** Takes mail from the attacker's domain: it proves who it is, and everything is done with it. */
export const OPEN = 'open@agents.localhost';
export const OWNER = 'boss@owner.test';
export const MEMBER = 'mia@member.test';

export type Rig = Awaited<ReturnType<typeof openRig>>;

const MANNER: Manner = {
  algorithm: 'rsa-sha256',
  canonical: { header: 'relaxed', body: 'simple' },
  names: ['from', 'to', 'cc', 'subject', 'date', 'message-id', 'reply-to', 'in-reply-to', 'references', 'content-type'],
};

/** With the flags that a person's start and the service have: what it takes without them, nobody's gateway takes. */
const asStarted = (root: string, environment: Readonly<Record<string, string>>) =>
  launchGateway(root, environment, NODE_FLAGS);

/** A started gateway whose event loop is watched from inside, name servers of its own, and people who write to it. */
export async function openRig(options: { files?: Readonly<Record<string, object>> } = {}) {
  const keys = createKeys(['owner.test', 'member.test', 'evil.test']);
  const dns = await startDnsServer(keys.zone, (name) => name.endsWith('silent.test'));
  const folder = mkdtempSync(join(tmpdir(), 'epistle-attack-'));
  const persona = (name: string, allow: readonly string[]) => ({
    name,
    address: `${name}@agents.localhost`,
    owners: [OWNER],
    access: { allow },
  });
  const workspace = makeWorkspace({
    'configs/security.json': {
      gateway_auth: { dns_servers: [dns.address] },
      // They write here more than people do, and it is not what is counted.
      loop_guard: LOOP_GUARD_OFF,
    },
    'personas/ada/persona.json': persona('ada', ['*@member.test']),
    'personas/ben/persona.json': persona('ben', ['*@member.test']),
    'personas/open/persona.json': persona('open', ['*@evil.test']),
    ...options.files,
  });
  const state: { gateway: Program; watch: string; life: number; written: number } = {
    life: 0,
    written: 0,
    watch: join(folder, 'loop-0'),
    gateway: await asStarted(workspace.root, watched(join(folder, 'loop-0'))).ready,
  };
  const control = startControl(join(folder, 'control'));
  const answers = openAnswers(join(workspace.root, 'data/outgoing'));
  const secret = () => readFileSync(join(workspace.root, 'data/submission.secret'), 'utf8').trim();

  const letter = (from: string): { id: string; mail: Mail } => {
    state.written += 1;
    const domain = from.slice(from.indexOf('@') + 1);
    const id = `<written-${state.written}@${domain}>`;
    const fields = [
      `From: ${from}`,
      `To: ${ADA}`,
      `Subject: Question ${state.written}`,
      `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
      `Message-ID: ${id}`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
    ];
    return { id, mail: { fields, body: 'Are you there?\r\n' } };
  };

  return {
    root: workspace.root,
    answers,
    keys,
    dns,
    port: () => state.gateway.ready.smtp.port,
    secret,
    isGone: () => state.gateway.process.exitCode !== null || state.gateway.process.signalCode !== null,
    pid: () => state.gateway.ready.pid,
    log: () => state.gateway.log(),
    rssMb: () => (state.gateway.process.exitCode === null ? rssMbOf(state.gateway.ready.pid) : 0),
    standstill: (since: number): Promise<Standstill> => standstillOver(state.watch, since),
    /** How late a loop with nothing to do was meanwhile. */
    noiseMs: (since: number): number => control.lateMs(since),
    sign: (mail: Mail, domain: string): Mail => keys.sign(mail, domain, MANNER),
    /** Writes as somebody whom the gateway believes, by submission or signed; how long the answer took, in ms. */
    async askAs(from: string, way: 'submission' | 'signed', withinMs: number): Promise<number> {
      const { id, mail } = letter(from);
      const began = performance.now();
      const late = began + withinMs;
      while (performance.now() < late) {
        const taken =
          way === 'submission'
            ? submit({ port: state.gateway.ready.smtp.port, secret: secret() }, { from, to: [ADA], raw: bytesOf(mail) })
            : deliverSigned(
                state.gateway.ready.smtp.port,
                from,
                bytesOf(keys.sign(mail, from.slice(from.indexOf('@') + 1), MANNER)),
              );
        const kind = await Promise.race([
          taken.then((one) => one.kind),
          // What is no longer waited for keeps no process.
          sleep(late - performance.now(), 'late', { ref: false }),
        ]);
        if (kind === 'acknowledged' || kind === 'late') break;
        await sleep(100);
      }
      while (performance.now() < late) {
        if (answers.has(id)) return performance.now() - began;
        await sleep(20);
      }
      return performance.now() - began;
    },
    /** Ends it the hard way and starts another over the same workspace. */
    async restart(): Promise<void> {
      await state.gateway.kill();
      state.life += 1;
      state.watch = join(folder, `loop-${state.life}`);
      state.gateway = await asStarted(workspace.root, watched(state.watch)).ready;
    },
    async close(): Promise<void> {
      await state.gateway.kill();
      await control.stop();
      dns.stop();
      workspace.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** As a server of the domain would: nothing but the signature tells whose it is. */
async function deliverSigned(port: number, from: string, raw: Buffer): Promise<{ kind: string }> {
  try {
    const wire = await connectWire(port, { from: '127.0.0.9' });
    try {
      await wire.hello();
      const refused = (await wire.envelope(from, [ADA])).find(({ code }) => code !== 250);
      const { code } = refused ?? (await wire.data(raw));
      return { kind: code === 250 ? 'acknowledged' : 'later' };
    } finally {
      wire.close();
    }
  } catch {
    return { kind: 'lost' };
  }
}
