import type { NewsKey } from '../../languages/to-owners/news.ts';
import { noticeTo, type Telling } from './tell-owners.ts';

/** Set by the step of the databases that an earlier build's workspace goes through; keys with a comma between them. */
const DUE = 'news';

/** One mail to the owners of a workspace that an earlier build has worked in: what behaves otherwise now. */
export async function tellNews({ workspace, announce }: Telling): Promise<void> {
  const { gateway, live } = workspace;
  const kept = await gateway.setting(DUE, () => '');
  if (kept === '') return;
  const [{ NEWS }, { namelessBorders }] = await Promise.all([
    import('../../languages/to-owners/news.ts'),
    import('../../queries/doctor/borders.ts'),
  ]);
  const isNews = (key: string): key is NewsKey => Object.hasOwn(NEWS.en.items, key);
  const due = kept.split(',').filter(isNews);
  if (due.length === 0) return;
  const nameless = namelessBorders(live.current().gateway);
  const isTold = await noticeTo({ workspace, announce }, () => false, {
    id: `notice:news:${due.join(',')}`,
    words: (language) => {
      const { subject, opening, items, noName } = NEWS[language];
      const told = [...due.flatMap((key) => items[key]), ...nameless.map(({ where, value }) => noName(where, value))];
      return { subject, text: [opening, '', ...told.map((item) => `- ${item}`)].join('\n') };
    },
  });
  if (isTold) await gateway.changeSetting(DUE, '');
}
