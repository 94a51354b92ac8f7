import { type MinorSpan, minorOfEra } from '../kubelet/era/nearest.js';
import { defaultEra, type EraVersion, eraVersions } from '../kubelet/era/versions.js';
import type { ObservedVersion } from './version-fold.js';

interface Text {
  readonly en: string;
  readonly zh: string;
}

const oldest = minorOfEra(eraVersions[0]);
const newest = minorOfEra(defaultEra);

/** Says a span: "v1.27 to v1.34", "v1.22 or later"; "v1.21" if it is one version. */
export function spanText({ since, until }: MinorSpan): Text {
  if (since === until) return { en: `v1.${since}`, zh: `v1.${since}` };
  if (until > newest) return { en: `v1.${since} or later`, zh: `v1.${since} 或更高版本` };
  if (since <= 0) return { en: `v1.${until} or earlier`, zh: `v1.${until} 或更早版本` };
  return { en: `v1.${since} to v1.${until}`, zh: `v1.${since} 至 v1.${until}` };
}

/**
 * A sentence about which version was observed, how that is known, and which kubelet runs in its place: the nearest one,
 * or the one that the user `chose`. Without a full stop.
 */
export function versionSentence({ how, version, span, era }: ObservedVersion, chose: EraVersion = era): Text {
  if (how === 'unknown' || !span)
    return {
      en: `no source reports the version of this kubelet; the kubelet here is ${chose}`,
      zh: `没有来源说明此 kubelet 的版本；这里采用 ${chose} 的 kubelet`,
    };
  if (chose !== era) {
    const of = version === '' ? spanText(span) : { en: version, zh: version };
    return {
      en: `this kubelet is ${of.en}; the kubelet here is ${chose}, which was chosen, and the nearest one is ${era}`,
      zh: `此 kubelet 的版本是 ${of.zh}；这里采用所选的 ${chose}，最接近的是 ${era}`,
    };
  }
  if (how === 'dated') {
    const { en, zh } = spanText(span);
    return {
      en: `no source reports the version; its log lines and statuses are those of ${en}; the nearest kubelet here is ${era}`,
      zh: `没有来源说明版本；从日志措辞和状态字段推断为 ${zh}；这里最接近的 kubelet 是 ${era}`,
    };
  }
  const outside =
    span.since > newest
      ? { en: ', the newest one available', zh: '，即现有的最新版本' }
      : span.since < oldest
        ? { en: ', the oldest one available', zh: '，即现有的最旧版本' }
        : { en: '', zh: '' };
  return {
    en: `this kubelet is ${version}; the nearest kubelet here is ${era}${outside.en}`,
    zh: `此 kubelet 的版本是 ${version}；这里最接近的 kubelet 是 ${era}${outside.zh}`,
  };
}
