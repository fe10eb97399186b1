#include "hone/base/metrics_writer.h"

#include <chrono>
#include <vector>

#include "hone/base/check.h"

namespace hone {
namespace {

double now_s() {
  using std::chrono::duration;
  return duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void collect_scalars(const Json& object, const std::string& group, std::vector<Scalar>& scalars) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_number()) scalars.push_back({group + name, value.get<double>()});
    if (value.is_object()) collect_scalars(value, group + name + '/', scalars);
  }
}

std::string readable(const Json& line) {
  std::string text =
      fmt::format("=== step {} | reward {}", line["step"].get<int64_t>(), line["reward"].dump());
  for (const auto& [name, value] : line.items()) {
    const bool shown =
        name == "step" || name == "reward" || name == "prompt" || name == "completion";
    if (!shown) text += fmt::format(" | {} {}", name, print_json(value));
  }
  return text + fmt::format("\n--- prompt\n{}\n--- completion\n{}\n\n",
                            line["prompt"].get<std::string>(),
                            line["completion"].get<std::string>());
}

/// The line as it reads back from the file: bytes that are not UTF-8 are replaced.
Json line_of(int64_t step, const LoggedSample& sample) {
  Json line = {{"step", step},
               {"reward", sample.reward},
               {"prompt", sample.prompt},
               {"completion", sample.completion}};
  line.update(sample.details);
  return parse_json(print_json(line), "sample");
}

}  // namespace

MetricsWriter::MetricsWriter(const Path& folder, int64_t last_step, bool tensorboard)
    : metrics_(folder / "metrics.jsonl", last_step),
      samples_(folder / "samples.jsonl", last_step),
      readable_(folder / "samples.txt", 0) {
  for (const Json& line : read_step_log(folder / "samples.jsonl")) {
    readable_.append(readable(line));
  }
  if (tensorboard) events_.emplace(folder / "tensorboard", now_s(), last_step + 1);
}

void MetricsWriter::write(int64_t step, const Json& metrics) {
  metrics_.append(step, metrics);
  metrics_.sync();
  if (!events_) return;
  std::vector<Scalar> scalars;
  collect_scalars(metrics, "", scalars);
  events_->write_scalars(step, now_s(), scalars);
}

void MetricsWriter::write_samples(int64_t step, std::span<const LoggedSample> samples) {
  bool first = true;
  for (const LoggedSample& sample : samples) {
    const Json line = line_of(step, sample);
    samples_.append(step, line);
    const std::string text = readable(line);
    readable_.append(text);
    if (events_ && first) events_->write_text(step, now_s(), "sample", "```\n" + text + "```\n");
    first = false;
  }
  samples_.sync();
}

}  // namespace hone
