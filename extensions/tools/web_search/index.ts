import { z } from 'zod';
import { defineTool } from '#contract';
import { ask } from './ask.ts';
import { shownResults } from './results.ts';
import { VENDOR_NAMES, VENDORS } from './vendors.ts';

const MAX_RESULTS = 10;

const config = z.strictObject({
  vendor: z.enum(VENDOR_NAMES).nullable().default(null),
  /** Of your SearXNG; of the others where their API is reached by another way. */
  base_url: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null),
  /** Hosts or host:port inside the own network at which the vendor may be. */
  allow_hosts: z.array(z.string().min(1)).default([]),
});

export default defineTool({
  description: 'Search the public web by words. Results are titles and snippets; web_fetch reads a page by its url.',
  risk: 'read',
  scope: 'web:read',
  uses: ['web'],
  config,
  input: z.object({
    query: z.string().trim().min(1).max(400),
    limit: z.int().min(1).max(MAX_RESULTS).default(5),
  }),
  output: z.object({
    results: z.array(
      z.object({ title: z.string(), url: z.string(), snippet: z.string(), date: z.string().optional() }),
    ),
  }),
  // Each result has its own url.
  provenance: () => null,
  ready({ config: settled, secrets }) {
    const { vendor, base_url } = config.parse(settled);
    if (vendor === null) return 'no service is set up';
    const { baseUrl, keyName, title } = VENDORS[vendor];
    if ((base_url ?? baseUrl) === null) return `${title} needs base_url`;
    return keyName === null || secrets[vendor] ? null : `${keyName} is not set`;
  },
  async effects(_, { config: { vendor, base_url } }) {
    const url = base_url ?? (vendor && VENDORS[vendor].baseUrl);
    return { targets: url ? [new URL(url).host] : [] };
  },
  async run({ query, limit }, { config: { vendor, base_url, allow_hosts }, secrets, web, signal }) {
    const name = vendor ?? 'searxng';
    const found = await ask(VENDORS[name], {
      query,
      limit,
      web,
      signal,
      key: secrets[name] ?? '',
      baseUrl: base_url,
      allowHosts: allow_hosts,
    });
    return { results: shownResults(found, limit).map((each) => ({ ...each })) };
  },
});
