#include "hone/rl/policy_batches.h"

namespace hone::rl {
namespace {

/// Collects completions until the next one would exceed the budget.
class GroupPacker {
 public:
  GroupPacker(const CompletionTerms& terms, uint64_t epoch, int64_t max_tokens)
      : terms_(terms), epoch_(epoch), max_tokens_(max_tokens) {}

  void begin_group(const RolloutGroup& group) {
    prompt_ = &group.prompt->tokens;
    trunk_ = -1;
  }

  void add(const Completion& completion, int64_t sequence) {
    const auto length = static_cast<int64_t>(completion.tokens.size()) - 1;
    const auto prompt = trunk_ < 0 ? static_cast<int64_t>(prompt_->size()) : 0;
    if (packer_.token_count() > 0 && packer_.token_count() + prompt + length > max_tokens_) flush();
    if (trunk_ < 0) trunk_ = packer_.add_trunk(*prompt_, -1);
    packer_.add_leaf(completion.tokens, trunk_, {}, sequence);
    for (size_t t = 0; t < completion.tokens.size(); ++t) {
      batch_.old_log_prob.push_back(completion.log_probs[t]);
      batch_.advantage.push_back(terms_.advantages[sequence]);
      batch_.weight.push_back(terms_.weights[sequence]);
      batch_.on_policy.push_back(completion.epochs[t] == epoch_);
    }
  }

  void flush() {
    trunk_ = -1;
    if (packer_.token_count() == 0) return;
    batch_.packed = packer_.take();
    batches_.push_back(std::exchange(batch_, {}));
  }

  std::vector<PolicyBatch> take() {
    flush();
    return std::move(batches_);
  }

 private:
  CompletionTerms terms_;
  uint64_t epoch_;
  int64_t max_tokens_, trunk_ = -1;
  const std::vector<int32_t>* prompt_ = nullptr;
  train::Packer packer_;
  PolicyBatch batch_;
  std::vector<PolicyBatch> batches_;
};

}  // namespace

std::vector<PolicyBatch> pack_groups(std::span<const RolloutGroup> groups,
                                     const CompletionTerms& terms, uint64_t epoch,
                                     int64_t max_tokens) {
  GroupPacker packer(terms, epoch, max_tokens);
  int64_t sequence = 0;
  for (const auto& group : groups) {
    packer.begin_group(group);
    for (const auto& completion : group.completions) {
      if (terms.weights[sequence] != 0) packer.add(completion, sequence);
      ++sequence;
    }
  }
  return packer.take();
}

}  // namespace hone::rl
