import { type HttpServer, startHttpServer } from './http-server.ts';
import { answersTo, type Message } from './mcp-script.ts';

/** The same server behind a URL (streamable HTTP). Keeps the headers that it was sent. */
export async function startMcpServer(path: string): Promise<HttpServer & { readonly authorizations: string[] }> {
  const authorizations: string[] = [];
  const server = await startHttpServer(({ method, headers, raw }) => {
    if (method !== 'POST') return { status: 405, body: '' };
    authorizations.push(headers.authorization ?? '');
    const message: Message = JSON.parse(raw.toString());
    const [answer] = answersTo(message, path).slice(-1);
    if (answer === undefined) return { status: 202, body: '' };
    if (answer === 'die') return { status: 500, body: 'no' };
    if (answer === 'long') return { status: 200, body: `"${'x'.repeat(12 * 1024 * 1024)}"` };
    return { status: 200, body: answer === 'garbage' ? 'this is no JSON' : JSON.stringify(answer) };
  });
  return { ...server, authorizations };
}
