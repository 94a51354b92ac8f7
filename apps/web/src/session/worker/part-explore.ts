export { ExploreRun, exploreSubject } from '@syncloop/core/debug';
