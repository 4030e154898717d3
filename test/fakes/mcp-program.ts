import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { answersTo, type Message, readScript } from './mcp-script.ts';

// An MCP server as a program: one message of JSON a line on stdin and stdout. Its argument is the path of a script.

const path = process.argv[2] ?? '';
appendFileSync(`${path}.pids`, `${process.pid} ${process.env.MCP_TOKEN ?? ''} ${process.env.SECRET_OF_OTHERS ?? ''}\n`);
if (readScript(path).stubborn) {
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
