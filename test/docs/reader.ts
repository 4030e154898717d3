import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutKeys } from '../flow/command-line.ts';
import { createCommands } from '../flow/commands.ts';
import type { Block } from './markdown.ts';
import { type Typed, typedIn } from './shell.ts';

const ENTRY = fileURLToPath(new URL('../../bin/epistle.js', import.meta.url));
/** What a machine with systemd has; here they say yes and do nothing. */
const OF_THE_MACHINE = ['systemctl', 'systemd-analyze', 'loginctl'];

/** Somebody who does what a page says, in a folder that stands for the checkout and with a home of their own. */
export function createReader() {
  const home = mkdtempSync(join(tmpdir(), 'epistle-reader-'));
  const checkout = join(home, 'epistle');
  const programs = join(home, 'bin');
  for (const folder of [checkout, programs]) mkdirSync(folder);
  for (const name of OF_THE_MACHINE) writeFileSync(join(programs, name), '#!/bin/sh\n', { mode: 0o755 });

  const environment = {
    ...withoutKeys(process.env),
    HOME: home,
    PATH: `${programs}:${process.env.PATH}`,
    EPISTLE_PROGRAM: './scripts/epistle',
  };
  const commands = createCommands(environment, checkout);
  const exported: Record<string, string> = {};
  const gateways: ChildProcess[] = [];
  const workspace = () => exported.EPISTLE_WORKSPACE ?? checkout;

  async function start(): Promise<string> {
    // As scripts/start does: a workspace of one's own is named.
    const own = exported.EPISTLE_WORKSPACE === undefined ? [] : ['--workspace', exported.EPISTLE_WORKSPACE];
    const child = spawn(process.execPath, [ENTRY, 'start', ...own], {
      cwd: checkout,
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    gateways.push(child);
    let printed = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      printed += chunk;
      // The last line that it prints is a command.
      if (/ console.*\n\n$/.test(printed)) return printed;
    }
    throw new Error(`the gateway ended: ${printed}`);
  }

  async function run({ line, environment: settings, words: [program, ...args], stdin }: Typed): Promise<string> {
    if (program === 'export') {
      const [name = '', value = ''] = (args[0] ?? '').split('=', 2);
      exported[name] = value;
      return '';
    }
    if (program === './scripts/start') return start();
    if (program !== './scripts/epistle') throw new Error(`nobody runs: ${line}`);
    const given = args.map((word) => ofToday(checkout, word));
    const ran = await commands({ args: given, stdin, environment: { ...exported, ...settings } });
    // 3: it waits for somebody.
    if (ran.code !== 0 && ran.code !== 3) throw new Error(`${line} ended with ${ran.code}: ${ran.stdout}${ran.stderr}`);
    if (args[0] === 'init') onAnyPort(resolve(checkout, args[1] ?? ''));
    return ran.stdout;
  }

  return {
    workspace,
    commands: (args: readonly string[], stdin = '') => commands({ args, stdin, environment: exported }),
    /** A workspace in the checkout, as the repository has one. */
    async begin(): Promise<void> {
      await commands({ args: ['init', checkout], stdin: '', environment: {} });
      onAnyPort(checkout);
    },
    /** Types the commands of a block; what they print. Throws where one fails. */
    async type(block: Block): Promise<string> {
      const printed: string[] = [];
      for (const typed of typedIn(block.text, home)) printed.push(await run(typed));
      return printed.join('');
    },
    save(path: string, text: string): void {
      const file = join(workspace(), path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { mode: 0o600 });
    },
    /** Ends the gateways that pages had started. */
    async stop(): Promise<void> {
      for (const child of gateways.splice(0)) {
        child.kill('SIGTERM');
        if (child.exitCode === null) await once(child, 'exit');
      }
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** A backup has the time in its name: the one that there is, in place of the one of the page. */
function ofToday(checkout: string, word: string): string {
  if (!/\/epistle-\d{4}-[\dTZ-]+$/.test(word)) return word;
  const [newest = ''] = readdirSync(resolve(checkout, dirname(word))).toReversed();
  return join(dirname(word), newest);
}

/** The port of the templates may be taken on the machine of a test. */
function onAnyPort(workspace: string): void {
  const file = join(workspace, 'configs/gateway.json');
  const gateway: object = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...gateway, smtp_listener: { port: 0 } }));
}
