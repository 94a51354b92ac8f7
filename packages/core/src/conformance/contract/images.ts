import { int64 } from '../../cri/index.js';
import { background, Second } from '../../kernel/index.js';
import { type ContractCase, registryImages } from './contract.js';
import { absentImage, idle } from './scripts.js';

/** ImageService. */
export const imageCases: readonly ContractCase[] = [
  {
    name: 'ImageStatus by name, by id, by part of it',
    *run(c) {
      const get = function* (image: string) {
        return (yield* c.s.imageStatus(background, { image: { image } })).image;
      };
      const image = yield* get(c.subject.images.busybox);
      c.insist(/^sha256:[0-9a-f]{64}$/.test(image?.id ?? ''), `an id is a digest, got ${image?.id}`);
      c.insist(int64(image?.size) > 0n, 'it has a size');
      c.insist(image?.repoTags?.includes(c.subject.images.busybox) ?? false, 'it has its tag');
      c.same(yield* get(image?.id ?? ''), image, 'by id');
      c.same(yield* get((image?.id ?? '').slice('sha256:'.length)), image, 'by id without its algorithm');
      c.same(yield* get((image?.id ?? '').slice('sha256:'.length, 20)), image, 'by part of its id');
    },
  },
  {
    name: 'ImageStatus of an image that is not there is empty',
    *run(c) {
      const call = c.s.imageStatus(background, {});
      c.same(yield* c.fails(call, 'Unknown'), 'can not resolve "" locally: ambiguous digest string', 'no name');
      for (const image of [absentImage, `sha256:${'0'.repeat(64)}`, 'nosuch', `${c.subject.images.busybox}-not`])
        c.same((yield* c.s.imageStatus(background, { image: { image } })).image ?? null, null, image);
    },
  },
  {
    name: 'ListImages: each image once',
    *run(c) {
      const { image } = yield* c.s.imageStatus(background, { image: { image: c.subject.images.busybox } });
      const { images = [] } = yield* c.s.listImages(background, {});
      c.same(images.find((i) => i.id === image?.id) ?? null, image, 'its entry');
      c.same(new Set(images.map((i) => i.id)).size, images.length, 'each image is listed once');
      const filtered = yield* c.s.listImages(background, { filter: { image: { image: c.subject.images.busybox } } });
      c.insist(filtered.images?.some((i) => i.id === image?.id) ?? false, 'it is in the list that asks for it');
    },
  },
  {
    name: "an image's user is reported",
    *run(c) {
      const images = c.subject.images.more ?? c.leaveOut('the images of the suite are not there');
      const get = function* (image: string) {
        return (yield* c.s.imageStatus(background, { image: { image } })).image;
      };
      c.same(
        [(yield* get(images.configured))?.uid, (yield* get(images.configured))?.username ?? ''],
        [{ value: '1234' }, ''],
        'a number',
      );
      c.same([(yield* get(images.spare))?.uid ?? null, (yield* get(images.spare))?.username ?? ''], [null, ''], 'none');
    },
  },
  {
    name: 'ImageStatus, verbose: the configuration of the image',
    *run(c) {
      const images = c.subject.images.more ?? c.leaveOut('the images of the suite are not there');
      const image = { image: images.configured };
      const { info } = yield* c.s.imageStatus(background, { image, verbose: true });
      const { imageSpec } = JSON.parse(info?.info ?? '{}') as { imageSpec?: { config?: Record<string, unknown> } };
      c.same([imageSpec?.config?.WorkingDir, imageSpec?.config?.User], ['/var', '1234:2345'], 'info.info');
      c.same((yield* c.s.imageStatus(background, { image })).info ?? {}, {}, 'info when not verbose');
    },
  },
  {
    name: 'RemoveImage: gone from status and list; twice is fine',
    *run(c) {
      const { spare } = c.subject.images.more ?? c.leaveOut('the images of the suite are not there');
      const image = { image: spare };
      const { image: before } = yield* c.s.imageStatus(background, { image });
      c.insist(before !== undefined, 'it is there');
      yield* c.s.removeImage(background, { image });
      c.same((yield* c.s.imageStatus(background, { image })).image ?? null, null, 'status');
      c.same((yield* c.s.imageStatus(background, { image: { image: before?.id ?? '' } })).image ?? null, null, 'by id');
      const { images = [] } = yield* c.s.listImages(background, {});
      c.insist(!images.some((i) => i.id === before?.id), 'it is not listed');
      yield* c.s.removeImage(background, { image });
      yield* c.fails(c.create(yield* c.sandbox(), idle, { image }), ['NotFound', 'Unknown'], spare);
    },
  },
  {
    name: 'RemoveImage of what is not there succeeds',
    *run(c) {
      yield* c.s.removeImage(background, { image: { image: absentImage } });
    },
  },
  {
    name: 'PullImage: nobody answers',
    *run(c) {
      const text = yield* c.fails(c.s.pullImage(background, { image: { image: absentImage } }), [
        'Unknown',
        'Unavailable',
      ]);
      c.insist(
        text.startsWith(`failed to pull and unpack image "${absentImage}": failed to resolve `),
        `the text: ${text}`,
      );
      c.insist(
        /: failed to do request: Head "https?:\/\/localhost\/v2\/contract-absent\/manifests\/1": dial tcp \S+:(80|443): connect: connection refused$/.test(
          text,
        ),
        `the text: ${text}`,
      );
    },
  },
  {
    name: 'PullImage: no valid reference',
    *run(c) {
      for (const image of ['UPPER/case:1', 'a b', ''])
        c.insist(
          (yield* c.fails(c.s.pullImage(background, { image: { image } }), ['Unknown', 'InvalidArgument'])).includes(
            'invalid reference format',
          ),
          `the error for ${image} says what is wrong`,
        );
    },
  },
  {
    name: 'PullImage, ImageStatus, RemoveImage',
    *run(c) {
      const host = c.subject.registry ?? c.leaveOut('there is no registry');
      const image = { image: `${host}/${registryImages.good}` };
      for (let i = 0; i < 2; i++) {
        const { imageRef = '' } = yield* c.s.pullImage(background, { image });
        c.insist(/^sha256:[0-9a-f]{64}$/.test(imageRef), `imageRef is the id, got ${imageRef}`);
        const { image: status } = yield* c.s.imageStatus(background, { image });
        c.same([status?.id, status?.repoTags], [imageRef, [image.image]], 'status');
        const digest = status?.repoDigests?.[0] ?? '';
        c.insist(digest.startsWith(`${host}/contract/good@sha256:`), `it has its digest, got ${digest}`);
        c.same((yield* c.s.imageStatus(background, { image: { image: digest } })).image?.id, imageRef, 'by digest');
      }
      yield* c.s.removeImage(background, { image });
      c.same((yield* c.s.imageStatus(background, { image })).image ?? null, null, 'after RemoveImage');
    },
  },
  {
    name: 'PullImage: an image that the registry does not have',
    *run(c) {
      const host = c.subject.registry ?? c.leaveOut('there is no registry');
      const image = `${host}/${registryImages.absent}`;
      const text = yield* c.fails(c.s.pullImage(background, { image: { image } }), 'NotFound');
      c.insist(text.startsWith(`failed to pull and unpack image "${image}": failed to resolve `), `the text: ${text}`);
      c.insist(text.endsWith(`${image}: not found`), `the text: ${text}`);
    },
  },
  {
    name: 'PullImage: an image for other users',
    *run(c) {
      const host = c.subject.registry ?? c.leaveOut('there is no registry');
      const image = `${host}/${registryImages.denied}`;
      const text = yield* c.fails(c.s.pullImage(background, { image: { image } }), 'Unknown');
      c.insist(text.startsWith(`failed to pull and unpack image "${image}": failed to resolve `), `the text: ${text}`);
      c.insist(
        text.includes('pull access denied, repository does not exist or may require authorization'),
        `the text: ${text}`,
      );
    },
  },
  {
    name: 'ImageFsInfo: where images lie, and how much they take',
    *run(c) {
      const { imageFilesystems = [] } = yield* c.s.imageFsInfo(background, {});
      const [fs] = imageFilesystems;
      // containerd looks at snapshots every ten seconds.
      const reported = function* () {
        const [now] = (yield* c.s.imageFsInfo(background, {})).imageFilesystems ?? [];
        return int64(now?.usedBytes?.value) > 0n && int64(now?.inodesUsed?.value) > 0n;
      };
      yield* c.eventually('used bytes and inodes', reported, 40 * Second, Second / 2);
      c.insist(int64(fs?.timestamp) > 0n, 'a time');
      c.insist((fs?.fsId?.mountpoint ?? '').startsWith('/'), 'a mount point');
    },
  },
  {
    name: 'ImageFsInfo: containers have a file system, too',
    *run(c) {
      const { containerFilesystems = [] } = yield* c.s.imageFsInfo(background, {});
      c.recent(containerFilesystems.length > 0, 'containerFilesystems is set');
    },
  },
];
