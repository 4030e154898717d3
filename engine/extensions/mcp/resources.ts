import type { ListedTool } from './listing.ts';
import type { Answered } from './result.ts';

/** Asks the server and hands on what it answers, unread. */
export type Ask = (method: string, params: Readonly<Record<string, unknown>>) => Promise<Answered>;

export const READ_RESOURCE = 'read_resource';

/** The resources of a server as a tool, with words of ours: what there is changes, and what an owner allowed must not. */
export const resourceTool: ListedTool = {
  name: READ_RESOURCE,
  description:
    'Reads one of the resources (files, records) of this server by its uri. Without a uri it lists those that there are.',
  inputSchema: {
    type: 'object',
    properties: { uri: { type: 'string', description: 'As it is listed, or filled into a listed template' } },
  },
  onlyReads: true,
  destroys: false,
};

/** The answer as that of a tool. */
export async function readResource(ask: Ask, args: unknown): Promise<Answered> {
  const uri = typeof args === 'object' && args !== null ? Reflect.get(args, 'uri') : undefined;
  if (typeof uri === 'string' && uri !== '') {
    const { contents } = await ask('resources/read', { uri });
    return { content: listOf(contents).map((resource) => ({ type: 'resource', resource })) };
  }
  const { resources, nextCursor } = await ask('resources/list', {});
  // Many have none and do not know the question.
  const { resourceTemplates } = await ask('resources/templates/list', {}).catch((): Answered => ({}));
  const [links, templates] = [listOf(resources), listOf(resourceTemplates)];
  return {
    content: links.map((link) => ({ ...(typeof link === 'object' ? link : {}), type: 'resource_link' })),
    structuredContent: {
      listed: links.length,
      ...(typeof nextCursor === 'string' ? { more: true } : {}),
      ...(templates.length === 0 ? {} : { templates }),
    },
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
