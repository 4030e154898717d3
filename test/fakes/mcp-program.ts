import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { answersTo, type Message, readScript } from './mcp-script.ts';

// An MCP server as a program: one message of JSON a line on stdin and stdout. Its argument is the path of a script.

const path = process.argv[2] ?? '';
appendFileSync(`${path}.pids`, `${process.pid} ${process.env.MCP_TOKEN ?? ''} ${process.env.SECRET_OF_OTHERS ?? ''}\n`);
const { stubborn, hasChild, startsAfterMs = 0 } = readScript(path);
if (hasChild) {
  const keepsOn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
  const child = spawn(process.execPath, ['-e', keepsOn], { stdio: ['ignore', 'inherit', 'inherit'] });
  appendFileSync(`${path}.pids`, `${child.pid} child\n`);
}
if (startsAfterMs > 0) await sleep(startsAfterMs);
if (stubborn) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
}
for await (const line of createInterface({ input: process.stdin })) {
  const message: Message = JSON.parse(line);
  for (const answer of answersTo(message, path)) {
    if (answer === 'die') process.exit(1);
    if (answer === 'garbage') process.stdout.write('this is no JSON\n{"jsonrpc": "1.0", "id": []}\n');
    else if (answer === 'long') process.stdout.write(`{"jsonrpc":"2.0","x":"${'x'.repeat(12 * 1024 * 1024)}`);
    else process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}
