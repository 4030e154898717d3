// A model that answers at once, in the wire format of chat completions. The newest `steps=N` of the request says
// how many tool calls come before the final text; the number of tool results says how many were made.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** No two answers are the same text. */
const answers = { given: 0 };
const finalText = (number: number): string =>
  `This is answer ${number}. North, East and West met the plan. South fell behind by four per cent, because one order moved into the next quarter.`;

let recording: string[] | null = null;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString('utf8');
    recording?.push(body);
    const answer = Buffer.from(answerTo(body));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
    response.end(answer);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` });
});

process.on('message', (question: { record: boolean }) => {
  const bodies = recording ?? [];
  recording = question.record ? [] : null;
  process.send?.({ bodies });
});

function answerTo(body: string): string {
  const asked = body.lastIndexOf('steps=');
  const wanted = asked < 0 ? 0 : Number.parseInt(body.slice(asked + 6, asked + 10), 10);
  const done = body.split('"role":"tool"').length - 1;
  const message =
    done < wanted
      ? {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: `call_${done}`,
              type: 'function',
              // Another note each time: the same call three times in a row would end the run.
              function: { name: 'note', arguments: JSON.stringify({ number: done }) },
            },
          ],
        }
      : { role: 'assistant', content: finalText(answers.given++) };
  // About as vendors count: a count that is far off is told to the owners.
  const input = Math.ceil(body.length / 4);
  return JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'bench',
    choices: [{ index: 0, message, finish_reason: done < wanted ? 'tool_calls' : 'stop' }],
    usage: { prompt_tokens: input, completion_tokens: 30, total_tokens: input + 30 },
  });
}
