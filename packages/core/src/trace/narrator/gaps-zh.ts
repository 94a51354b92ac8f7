/** 来源缺失的原因：读取它的代码用英文句子写进记录，这里给出中文。 */

const limits: Readonly<Record<string, string>> = { memory: '内存', time: '时间', size: '大小' };

const shapes: readonly (readonly [RegExp, (found: readonly string[]) => string])[] = [
  [
    /^Only its first (.+) were read: a page reads (.+) of all files together, after decompression\. For the rest /,
    ([, first, most]) =>
      `只读取了前 ${first}：页面对所有文件合计最多读取 ${most}（按解压后计算）。要看其余部分，请只打开其中一段（例如用 journalctl --since 和 --until 截取），或使用 syncloop open`,
  ],
  [
    /^Only its first (.+) were read: the limit of (\w+) \((.+?)(, decompressed)?; (--[\w-]+)\) was met\.$/,
    ([, first, name = '', value, decompressed, flag]) =>
      `只读取了前 ${first}：达到了${limits[name] ?? name}上限（${decompressed ? '解压后 ' : ''}${value}；${flag}）`,
  ],
  [/^It cannot be read any further: (.+)\.$/s, ([, why]) => `无法继续读取：${why}`],
  [/^It could be read up to here only: (.+)\.$/s, ([, why]) => `只能读到这里：${why}`],
];

/** 一句原因的中文，末尾没有句号；不认识的句子原样返回。 */
export function gapZh(why: string): string {
  for (const [shape, words] of shapes) {
    const found = shape.exec(why);
    if (found) return words(found);
  }
  return why;
}
