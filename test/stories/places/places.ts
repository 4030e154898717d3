#!/usr/bin/env node
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { answeredByHand, asked, say } from '../ten-days/by-hand.ts';
import { readPlace } from './place.ts';
import { play } from './play.ts';

class Usage extends Error {}

const USAGE = 'start PLACE FOLDER [--only m1,m2] [--outsiders strangers], asked FOLDER [--short] or say FOLDER NUMBER';

/** Lies in the folder when all mails of the place have been worked. */
const endFile = (folder: string): string => join(folder, 'ended');

// biome-ignore lint/suspicious/noConsole: a program of a terminal
const print = (line: string): void => console.log(line);

async function start(which: string, folder: string, options: { only?: string; outsiders?: string }): Promise<void> {
  const { only, outsiders = 'allowed' } = options;
  if (existsSync(folder)) throw new Usage(`${folder} is there already: name another folder, or remove it`);
  if (outsiders !== 'allowed' && outsiders !== 'strangers') throw new Usage('--outsiders is allowed or strangers');
  const records = await play(readPlace(which), {
    folder,
    outsiders,
    ...(only === undefined ? {} : { only: only.split(',') }),
    answer: (request) => answeredByHand(folder, request),
    tell: print,
  });
  writeFileSync(endFile(folder), '');
  print(`All has ended; the record of ${records.length} mails lies in ${join(folder, 'record')}.`);
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'string' }, outsiders: { type: 'string' }, short: { type: 'boolean' } },
  });
  const [command, first, second] = positionals;
  if (command === 'start' && first !== undefined && second !== undefined) return start(first, second, values);
  if (first === undefined) throw new Usage(USAGE);
  if (!existsSync(first)) throw new Usage(`${first} is not there: no place has been started in it`);
  if (command === 'asked')
    return print(existsSync(endFile(first)) ? 'All mails are answered.' : await asked(first, values.short ?? false));
  if (command === 'say') return print(say(first, second, await text(process.stdin)));
  throw new Usage(USAGE);
}

await main().catch((error: unknown) => {
  if (!(error instanceof Usage)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
});
