// What has been published before the servers of the feed's benchmarks start: one moment by each of
// the people, or a corpus to search. The same in every process of one benchmark.
#pragma once

#include <functional>
#include <memory>

#include "bench/feed_options.hpp"
#include "bench/feed_people.hpp"
#include "bench/search_corpus.hpp"

namespace tideline::bench {

// Ordered by time.
struct FirstMoments {
  std::uint32_t count = 0;
  std::function<CorpusMoment(std::uint32_t place)> at;
};

// `order` must outlive it.
inline FirstMoments first_moments(const FeedOptions& options, const Shuffled& order) {
  if (options.corpus > 0) {
    const auto corpus = std::make_shared<const SearchCorpus>(order.people(), options.corpus);
    return {options.corpus, [corpus](std::uint32_t place) { return corpus->moment(place); }};
  }
  return {order.people(), [&order](std::uint32_t place) {
            const std::uint32_t author = order.at(place);
            return CorpusMoment{first_moment_id(account_of(author), place), author,
                                feed::Audience::Public, first_moment_time(place), text_of(place)};
          }};
}

}  // namespace tideline::bench
