/** What is another one each time: ids, times, tokens, ports. */
export const masked = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\d(?:T[\d:.]+Z?| \d\d:\d\d\b)/g, '<time>')
    .replaceAll(/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2} \w{3,4}\b/g, '<day>')
    .replaceAll(/\b\d\d:\d\d\b/g, '<clock>')
    .replaceAll(/\bok-[0-9a-f]{32}\b/g, '<token>')
    .replaceAll(/\b[0-9a-f]{12}$/gm, '<end of id>')
    .replaceAll(/\bport \d+/g, 'port <port>')
    .trimEnd();
