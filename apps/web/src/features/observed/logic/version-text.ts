import { type ObservedVersion, spanText } from '@syncloop/core/version';
import type { Translate } from '../../../i18n/index.js';

/** The version as far as it is known: "v1.25.9", "like v1.22 to v1.26". */
export function versionText(t: Translate, lang: string, { version, span }: ObservedVersion): string {
  if (version !== '') return version;
  if (!span) return t('observed.unknownVersion');
  const text = spanText(span);
  return t('observed.dialect', { versions: lang === 'zh-CN' ? text.zh : text.en });
}
